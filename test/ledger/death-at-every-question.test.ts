/**
 * Guarantee: a process that dies at any question it asks the database while it grants, writes pages,
 * posts and answers a recall, before the question got there or before its answer came back, leaves
 * books of which another makes what was acknowledged, once, and frees the rest: of the account, the
 * key and the key's group alike.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import { OWNER_LEASE_MS } from "../../src/kernel/limits.ts";
import { placeBudget } from "../../src/ledger/budget-groups.store.ts";
import { budgetState } from "../../src/ledger/budgets.store.ts";
import { postAll } from "../../src/ledger/journals.store.ts";
import { askForRecall } from "../../src/ledger/recalls.store.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import { createHoldRecovery } from "../../src/serving/money/recover-holds.ts";
import { dialDatabase } from "../support/dial-database.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";
import { startPostgresProxy, type PostgresProxy } from "../torture/postgres-proxy.ts";
import { rowTotals } from "./journal-world.ts";
import { fundedAccount, newBudget } from "./ledger-world.ts";
import { startWorker, type Worker } from "./start-worker.ts";

const FUNDS = 1_000_000n;
const REQUESTS = 5;
const CHARGE = 3n;
/** More questions than the whole of it asks: then none has died, and there is no further place. */
const MOST = 60;

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(async () => database.drop());

function proxyTo(url: string): Promise<PostgresProxy> {
  const address = new URL(url);
  const { searchParams, username, password, pathname } = address;
  return startPostgresProxy({
    dial: () => dialDatabase(address),
    user: decodeURIComponent(username) || (searchParams.get("user") ?? ""),
    password: decodeURIComponent(password),
    database: pathname.slice(1),
  });
}

/** A key in a group: of the account, its budget and the one around it. */
interface Payer {
  readonly accountId: Uuid;
  readonly budgetId: Uuid;
  readonly groupId: Uuid;
}

async function newPayer(): Promise<Payer> {
  const { db } = database;
  const accountId = await fundedAccount(db, FUNDS);
  const budgetId = await newBudget(db, accountId, null);
  const groupId = await newBudget(db, accountId, FUNDS / 2n);
  await placeBudget(db, { accountId, budgetId, groupId });
  return { accountId, budgetId, groupId };
}

/** What the worker was charged by the answers that it had. */
const acknowledged = (worker: Worker): bigint =>
  worker.reports.reduce(
    (sum, report) => (report.kind === "ended" ? sum + BigInt(report.charged) : sum),
    0n,
  );

/** Requests of a lease that end, twice, and the lease that is recalled. */
async function live(worker: Worker, { accountId, budgetId, groupId }: Payer): Promise<void> {
  for (const round of [1, 2]) {
    const order = { accountId, budgetId, groupId, amount: "100", count: REQUESTS };
    worker.order({ kind: "race", ...order });
    await worker.seen("raced", round);
    worker.order({ kind: "settle", charge: CHARGE.toString() });
    await worker.seen("ended", round);
  }
  await askForRecall(database.db, accountId);
  await until("the lease is given back, or its process is gone", async () => {
    if (worker.process.exitCode !== null || worker.process.signalCode !== null) return true;
    await postAll(database.db);
    return (await rowTotals(database.db, accountId)).held === 0n;
  });
}

/** Another process judges it, as when its lease has run out. */
async function recover({ ownerId }: Worker): Promise<void> {
  const { db } = database;
  for (const table of ["owners", "journals"])
    await db.query(
      `UPDATE ledger.${table} SET alive_until = clock_timestamp() WHERE owner_id = $1`,
      [ownerId],
    );
  let nowMs = 0;
  const logged: string[] = [];
  const recovery = createHoldRecovery({
    db,
    ownerId: newUuid(),
    clock: { monotonicMs: () => nowMs },
    onRecovered: () => {},
    log: (line) => logged.push(line),
  });
  await recovery.round();
  nowMs = OWNER_LEASE_MS;
  await recovery.round();
  await recovery.round();
  assert.deepEqual(logged, []);
}

/** Whether it died: past the last question there is nowhere left to die. */
async function dieAt(question: number, at: "before" | "answer"): Promise<boolean> {
  const { db } = database;
  const payer = await newPayer();
  const { accountId, budgetId, groupId } = payer;
  const proxy = await proxyTo(database.url);
  const worker = await startWorker(proxy.url);
  proxy.setTrap({ after: question, at, spring: () => worker.process.kill("SIGKILL") });
  const lived = await live(worker, payer).then(
    () => worker.process.signalCode === null,
    () => false,
  );
  if (lived) worker.process.kill("SIGKILL");
  await worker.gone();
  await proxy.close();
  // The server's own processes may still be at what was asked last.
  await db.query(
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE $1",
    [`hold worker ${worker.process.pid}%`],
  );
  await recover(worker);
  const where = `${at} question ${question}`;
  const { charged, held } = await rowTotals(db, accountId);
  assert.equal(held, 0n, where);
  assert.ok(
    charged >= acknowledged(worker),
    `${where}: ${charged} of ${acknowledged(worker)} is charged`,
  );
  assert.ok(charged <= 2n * BigInt(REQUESTS) * CHARGE, `${where}: ${charged} is charged`);
  const [entries] = await db.query<{ charged: bigint }>(
    "SELECT coalesce(sum(amount_nano), 0)::bigint AS charged FROM ledger.entries WHERE account_id = $1 AND kind = 'charge'",
    [accountId],
  );
  assert.equal(entries?.charged, charged, where);
  for (const id of [budgetId, groupId]) {
    const budget = (await budgetState(db, [id])).get(id);
    assert.deepEqual([budget?.chargedNano, budget?.heldNano], [charged, 0n], where);
  }
  return !lived;
}

for (const at of ["before", "answer"] as const)
  test(
    `killed ${at === "before" ? "before each question gets there" : "before each answer comes back"}`,
    { timeout: 300_000 },
    async (t) => {
      let places = 0;
      while (places < MOST && (await dieAt(places, at))) places += 1;
      t.diagnostic(`${places} places`);
      // A grant, two pages, posts and the page of the recall.
      assert.ok(places >= 5 && places < MOST, `${places} places`);
      for (const table of ["holds", "unfinished", "pages"])
        assert.deepEqual(await database.db.query(`SELECT * FROM ledger.${table}`), [], table);
      assert.deepEqual((await database.db.transaction(verify)).mismatches, []);
    },
  );
