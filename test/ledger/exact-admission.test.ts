/**
 * Guarantee: a balance or key limit worth N admits exactly N of 10 N concurrent requests of two
 * processes (hazards §10, §11).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Nano } from "../../src/kernel/money.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import { budgetState } from "../../src/ledger/budgets.store.ts";
import { settleMany } from "../../src/ledger/holds.store.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import type { WorkerReport } from "./hold-worker.ts";
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
): Promise<{ verdicts: Record<string, number>; holdIds: string[] }> {
  for (const worker of workers)
    worker.order({ kind: "race", accountId, budgetId, amount: AMOUNT.toString(), count: 5 * N });
  await Promise.all(workers.map((worker) => worker.seen("raced", already + 1)));
  const verdicts: Record<string, number> = {};
  const holdIds: string[] = [];
  for (const worker of workers) {
    const raced = worker.reports
      .filter(
        (report): report is Extract<WorkerReport, { kind: "raced" }> => report.kind === "raced",
      )
      .at(-1);
    for (const [kind, count] of Object.entries(raced?.verdicts ?? {}))
      verdicts[kind] = (verdicts[kind] ?? 0) + count;
    holdIds.push(...(raced?.holdIds ?? []));
  }
  return { verdicts, holdIds };
}

test("an account's balance", { timeout: 60_000 }, async () => {
  const accountId = await fundedAccount(database.db, BigInt(N) * AMOUNT + 3n);
  const { verdicts, holdIds } = await race(accountId, null, 0);
  assert.deepEqual(verdicts, { held: N, "insufficient-balance": 9 * N });
  assert.equal((await balance(database.db, accountId))?.availableNano, 3n);
  await settleMany(
    database.db,
    holdIds.map((holdId) => ({ holdId, chargeNano: AMOUNT as Nano, lossNano: 0n as Nano })),
  );
  const entries = await database.db.query(
    "SELECT count(*) AS charges FROM ledger.entries WHERE kind = 'charge' AND account_id = $1",
    [accountId],
  );
  assert.deepEqual(entries, [{ charges: BigInt(N) }]);
  assert.equal((await balance(database.db, accountId))?.balanceNano, 3n);
});

test("a key's limit, on an account that has more than enough", { timeout: 60_000 }, async () => {
  const accountId = await fundedAccount(database.db, 1_000_000n);
  const budgetId = await newBudget(database.db, accountId, BigInt(N) * AMOUNT + 3n, "day");
  const { verdicts } = await race(accountId, budgetId, 1);
  assert.deepEqual(verdicts, { held: N, "limit-exceeded": 9 * N });
  assert.equal((await budgetState(database.db, [budgetId])).get(budgetId)?.availableNano, 3n);
  assert.deepEqual((await database.db.transaction(verify)).mismatches, []);
});
