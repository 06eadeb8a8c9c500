/**
 * Guarantee: a balance or key limit worth N admits exactly N of 10 N concurrent requests of two
 * processes (hazards §10, §11).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { balance } from "../../src/ledger/accounts.store.ts";
import { budgetState } from "../../src/ledger/budgets.store.ts";
import { postAll } from "../../src/ledger/journals.store.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import { until } from "../support/until.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import type { WorkerReport } from "./hold-worker.ts";
import { rowTotals } from "./journal-world.ts";
import { fundedAccount, newBudget } from "./ledger-world.ts";
import { startWorker, type Worker } from "./start-worker.ts";

const N = 150;
const AMOUNT = 7n;

let database: TestDatabase;
let workers: Worker[];
before(async () => {
  database = await testDatabase();
  workers = await Promise.all([startWorker(database.url), startWorker(database.url)]);
});
after(async () => {
  for (const worker of workers) worker.process.disconnect();
  await Promise.all(workers.map((worker) => worker.gone()));
  await database.drop();
});

async function race(
  accountId: string,
  budgetId: string | null,
  already: number,
): Promise<Record<string, number>> {
  // Both have leases of which nothing is in use: what they do not need, the other one may have.
  const order = { kind: "race", accountId, budgetId, amount: AMOUNT.toString() } as const;
  for (const worker of workers) worker.order({ ...order, count: 1 });
  await Promise.all(workers.map((worker) => worker.seen("raced", 2 * already + 1)));
  await settled(0n, 2 * already + 1);
  const leases = await database.db.query(
    "SELECT DISTINCT journal_id FROM ledger.holds WHERE account_id = $1 AND shared AND held_nano > 0",
    [accountId],
  );
  assert.equal(leases.length, workers.length);

  for (const worker of workers) worker.order({ ...order, count: 5 * N });
  await Promise.all(workers.map((worker) => worker.seen("raced", 2 * already + 2)));
  const verdicts: Record<string, number> = {};
  for (const worker of workers) {
    const raced = worker.reports
      .filter(
        (report): report is Extract<WorkerReport, { kind: "raced" }> => report.kind === "raced",
      )
      .at(-1);
    for (const [kind, count] of Object.entries(raced?.verdicts ?? {}))
      verdicts[kind] = (verdicts[kind] ?? 0) + count;
  }
  // What was refused has recalled all that was not in use.
  await until("nothing is held but what was admitted", async () => {
    await postAll(database.db);
    return (await rowTotals(database.db, accountId)).held === BigInt(N) * AMOUNT;
  });
  return verdicts;
}

/** All that the workers hold ends at this charge; what it came to. */
async function settled(charge: bigint, times: number): Promise<bigint> {
  for (const worker of workers) worker.order({ kind: "settle", charge: charge.toString() });
  await Promise.all(workers.map((worker) => worker.seen("ended", times)));
  await postAll(database.db);
  return workers
    .flatMap(({ reports }) => reports.filter((report) => report.kind === "ended").slice(-1))
    .reduce((sum, { charged }) => sum + BigInt(charged), 0n);
}

test("an account's balance", { timeout: 60_000 }, async () => {
  const accountId = await fundedAccount(database.db, BigInt(N) * AMOUNT + 3n);
  const verdicts = await race(accountId, null, 0);
  assert.deepEqual(verdicts, { held: N, "insufficient-balance": 9 * N });
  assert.equal(await settled(AMOUNT, 2), BigInt(N) * AMOUNT);
  const entries = await database.db.query(
    "SELECT count(*) AS charges FROM ledger.entries WHERE kind = 'charge' AND account_id = $1",
    [accountId],
  );
  assert.deepEqual(entries, [{ charges: BigInt(N) }]);
  const money = await balance(database.db, accountId);
  assert.deepEqual([money?.balanceNano, money?.heldNano], [3n, 0n]);
});

test("a key's limit, on an account that has more than enough", { timeout: 60_000 }, async () => {
  const accountId = await fundedAccount(database.db, 1_000_000n);
  const budgetId = await newBudget(database.db, accountId, BigInt(N) * AMOUNT + 3n, "day");
  const verdicts = await race(accountId, budgetId, 1);
  assert.deepEqual(verdicts, { held: N, "limit-exceeded": 9 * N });
  const limit = async () => (await budgetState(database.db, [budgetId])).get(budgetId);
  await until("what goes on is noted, and shown as held", async () => {
    await postAll(database.db);
    return (await limit())?.availableNano === 3n;
  });
  assert.equal(await settled(AMOUNT, 4), BigInt(N) * AMOUNT);
  const state = await limit();
  assert.deepEqual(
    [state?.chargedNano, state?.heldNano, state?.availableNano],
    [BigInt(N) * AMOUNT, 0n, 3n],
  );
  assert.deepEqual((await database.db.transaction(verify)).mismatches, []);
});
