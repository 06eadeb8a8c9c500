/**
 * Guarantee: charged + held ≤ credited at any instant and interleaving, of accounts and limits; no
 * deadlock (contract §6; hazards §16).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openDatabase, type Db } from "../../src/db/database.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { closeBudget, updateBudget } from "../../src/ledger/budgets.store.ts";
import { holdIn, settleIn } from "../../src/ledger/holds.store.ts";
import { POST_JOURNAL, postAll } from "../../src/ledger/journals.store.ts";
import { adjust, credit } from "../../src/ledger/transfers.store.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { rowTotals } from "./journal-world.ts";
import { exactHold, fundedAccount, newBudget } from "./ledger-world.ts";
import { RandomProcess, type Pick } from "./random-process.ts";

const SESSIONS = 16;
const STEPS = 60;

let database: TestDatabase;
let sessions: Db;
before(async () => {
  database = await testDatabase();
  sessions = openDatabase({
    url: database.url,
    poolSize: SESSIONS,
    applicationName: "sessions",
    onError: () => {},
  });
});
after(async () => {
  await sessions.close();
  await database.drop();
});

/** A small seeded generator (mulberry32), so that a failure can be run again. */
function seededPick(seed: number): Pick {
  let state = seed;
  return (count) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  };
}

const seed = Date.now() % 1_000_000;

test(`16 processes of random leases, pages, posts and deaths on three poor accounts, sampled from another session, seed ${seed}`, async () => {
  const accounts = await Promise.all(
    [2_700n, 900n, 1_100n].map((amount) => fundedAccount(database.db, amount)),
  );
  const budgets = await Promise.all(
    accounts.flatMap((account) => [
      newBudget(database.db, account, 400n),
      newBudget(database.db, account, null),
    ]),
  );
  const places = accounts.flatMap((accountId, at) =>
    [null, ...budgets.slice(2 * at, 2 * at + 2)].map((budgetId) => ({ accountId, budgetId })),
  );
  const processes = await Promise.all(
    Array.from({ length: SESSIONS }, (_, number) =>
      RandomProcess.start(sessions, seededPick(seed + 100 + number), places),
    ),
  );
  let chargedTasks = 0n;
  let busy = true;

  /** One that nothing ends but its task. */
  async function task(pick: Pick): Promise<void> {
    const { accountId, budgetId } = places[pick(places.length)] ?? {
      accountId: "",
      budgetId: null,
    };
    const request = exactHold(accountId, BigInt(1 + pick(120)), { budgetId });
    if ((await holdIn(sessions, request)).kind !== "held") return;
    const settled = await settleIn(sessions, {
      accountId,
      holdId: request.holdId,
      chargeNano: BigInt(pick(150)) as Nano,
      lossNano: BigInt(pick(2)) as Nano,
    });
    assert.equal(settled.kind, "settled");
    if (settled.kind === "settled") chargedTasks += settled.chargedNano;
  }

  async function operator(pick: Pick): Promise<void> {
    if (pick(2) === 0) {
      const accountId = accounts[pick(3)] ?? "";
      const amountNano = (BigInt(pick(200)) - 60n || 1n) as Nano;
      return sessions.transaction(async (tx) => {
        if (amountNano > 0n)
          await credit(tx, { accountId, amountNano, reference: newUuid(), kind: "topup" });
        else await adjust(tx, { accountId, amountNano, reference: newUuid(), note: "load" });
      });
    }
    const budgetId = budgets[pick(budgets.length)] ?? "";
    if (pick(12) === 0) await closeBudget(sessions, budgetId);
    else
      await sessions.transaction((tx) =>
        updateBudget(tx, {
          budgetId,
          limitNano: (BigInt(pick(600)) + 100n) as Nano,
          period: "total",
        }),
      );
  }

  async function session(number: number): Promise<void> {
    const pick = seededPick(seed + number);
    const process = processes[number];
    assert.ok(process !== undefined);
    for (let step = 0; step < STEPS; step++) {
      const what = pick(20);
      if (what < 7) await process.grant();
      else if (what < 9) for (let nth = pick(8); nth > 0; nth--) process.admit();
      else if (what < 14) await process.page();
      else if (what < 17) {
        // Anyone may post for anyone, several at a time.
        const { journalId } = processes[pick(SESSIONS)] ?? process;
        await sessions.run(POST_JOURNAL, [journalId, 1 + pick(20), pick(2) === 0]);
      } else if (what === 17) await task(pick);
      else if (what === 18) await operator(pick);
      else if (pick(3) === 0) await process.die();
    }
  }

  async function sample(): Promise<number> {
    let samples = 0;
    for (; busy; samples++) {
      const rows = await database.db.query(
        `SELECT account_id AS id FROM ledger.accounts WHERE credited_nano - charged_nano - held_nano < 0
         UNION ALL SELECT budget_id FROM ledger.budgets WHERE limit_nano + excess_nano - period_charged_nano - held_nano < 0`,
      );
      assert.deepEqual(rows, [], "nobody is overspent");
      // In one snapshot the totals and their entries agree while everything moves.
      assert.deepEqual((await database.db.transaction(verify)).mismatches, []);
    }
    return samples;
  }

  const sampling = sample();
  await Promise.all(Array.from({ length: SESSIONS }, (_, number) => session(number))).finally(
    () => {
      busy = false;
    },
  );
  assert.ok((await sampling) > 0);
  await postAll(database.db);
  const totals = await Promise.all(accounts.map((id) => rowTotals(database.db, id)));
  assert.equal(
    totals.reduce((sum, { charged }) => sum + charged, 0n),
    processes.reduce((sum, { charged }) => sum + charged, chargedTasks),
    "what was ended is charged, once",
  );
  for (const process of processes) await process.die();
  for (const table of ["holds", "unfinished", "pages"])
    assert.deepEqual(await database.db.query(`SELECT * FROM ledger.${table}`), [], table);
  assert.deepEqual((await database.db.transaction(verify)).mismatches, []);
  const [stats] = await database.db.query<{ deadlocks: bigint }>(
    "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()",
  );
  assert.equal(stats?.deadlocks, 0n);
});
