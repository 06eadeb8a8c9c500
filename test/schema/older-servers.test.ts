/**
 * Guarantee: the schema and the books are right on the oldest PostgreSQL that is supported, too:
 * tried on those that this machine has. How to run all of the ledger's tests on one: CONTRIBUTING.md.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  dropOldLogMonths,
  keepLogMonthsAhead,
} from "../../src/business/operate/months-of-logs.store.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { creditByClass } from "../../src/ledger/credit-classes.store.ts";
import { holdIn, settleIn } from "../../src/ledger/holds.store.ts";
import { postAll } from "../../src/ledger/journals.store.ts";
import { keepMonthsAhead, sealMonth } from "../../src/ledger/months.store.ts";
import { adjust, credit } from "../../src/ledger/transfers.store.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import { exactHold, fundedAccount, newBudget } from "../ledger/ledger-world.ts";
import { rowTotals } from "../ledger/journal-world.ts";
import { RandomProcess } from "../ledger/random-process.ts";
import { fillMonths } from "../archive/fill-months.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { olderServers } from "../support/older-servers.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { startTestCluster } from "../support/test-cluster.ts";

const STEPS = 400;
const FUNDS = 20_000n;

/** A month of another account is sealed, and old months of logs go. */
async function closeMonth({ db, url }: TestDatabase): Promise<void> {
  const accountId = await fundedAccount(db, 0n);
  const past = new Date();
  past.setUTCDate(1);
  past.setUTCMonth(past.getUTCMonth() - 2);
  const month = past.toISOString().slice(0, 7);
  await fillMonths(url, {
    accountIds: [accountId],
    keyIds: [await newBudget(db, accountId, null)],
    models: ["m"],
    months: [`${month}-01`],
    perMonth: 20,
    topUpNano: 1_000_000_000n,
    giftNano: 1_000n,
  });
  const sealed = await db.transaction((tx) => sealMonth(tx, month));
  assert.deepEqual(sealed, { kind: "sealed", entries: 23n });
  await db.query("SELECT months.keep(($1 || '-01')::date, ($1 || '-01')::date)", [month]);
  const kept = { taskEvents: 1, webhooks: 1, audit: 1 };
  const name = month.replace("-", "_");
  assert.deepEqual(await dropOldLogMonths(db, kept), [
    `tasks.events_${name}`,
    `tasks.webhooks_${name}`,
    `audit.actions_${name}`,
    `audit.account_actions_${name}`,
  ]);
}

const servers = olderServers();
if (servers.length === 0)
  test("an older PostgreSQL", { skip: "none is installed in /usr/lib/postgresql" }, () => {});

for (const [major, programs] of servers)
  test(`PostgreSQL ${major}: migrations, a history of leases, pages, tasks and gifts, a closed month, and the books agree`, async () => {
    const cluster = await startTestCluster(programs);
    const database = await testDatabase(cluster.url);
    try {
      const { db } = database;
      const [server] = await db.query<{ major: number }>(
        "SELECT current_setting('server_version_num')::int / 10000 AS major",
      );
      assert.equal(server?.major, major);
      await db.transaction(keepMonthsAhead);
      await db.transaction(keepLogMonthsAhead);
      const accountId = await fundedAccount(db, FUNDS);
      const budgetId = await newBudget(db, accountId, 8_000n, "month");
      const gift = { accountId, amountNano: 300n as Nano, kind: "topup" } as const;
      for (const creditClass of ["bonus", "trial"] as const)
        await credit(db, { ...gift, creditClass, reference: creditClass });
      const random = seededRandom(major);
      const pick = (count: number): number => Math.floor(random() * count);
      const places = [null, budgetId].map((each) => ({ accountId, budgetId: each }));
      const processes = await Promise.all(
        [1, 2, 3].map(() => RandomProcess.start(db, pick, places)),
      );
      for (let step = 0; step < STEPS; step++) {
        const process = processes[step % processes.length];
        assert.ok(process !== undefined);
        const what = pick(12);
        if (what < 4) await process.grant();
        else if (what < 6) process.admit();
        else if (what < 10) await process.page();
        else if (what === 10) await postAll(db);
        else if (pick(6) === 0) await process.die();
      }
      const task = exactHold(accountId, 50n, { budgetId });
      assert.equal((await holdIn(db, task)).kind, "held");
      const end = { accountId, holdId: task.holdId, chargeNano: 20n as Nano, lossNano: 0n as Nano };
      assert.equal((await settleIn(db, end)).kind, "settled");
      for (const process of processes) await process.die();
      const { charged, held } = await rowTotals(db, accountId);
      const settled = processes.reduce((sum, process) => sum + process.charged, 20n);
      assert.deepEqual([charged, held], [settled, 0n]);
      assert.ok(charged > 600n, `${charged} uses the gifts up`);
      assert.deepEqual(await creditByClass(db, accountId), {
        paid: FUNDS + 600n - charged,
        trial: 0n,
        bonus: 0n,
      });
      await closeMonth(database);
      const refund = { accountId, amountNano: -7n as Nano, reference: newUuid(), note: "back" };
      assert.equal((await db.transaction((tx) => adjust(tx, refund))).kind, "adjusted");
      assert.deepEqual((await db.transaction(verify)).mismatches, []);
    } finally {
      await database.drop();
      await cluster.stop();
    }
  });
