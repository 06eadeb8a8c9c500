/** Key limits in the same decision as the balance: per day, per month, in total, with Moscow's midnights (hazards §11). */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { exactHold, fundedAccount, newBudget } from "../../test/ledger/ledger-world.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import { budgetState, updateBudget, type BudgetState } from "./budgets.store.ts";
import { holdIn, holdMany, settleIn, settleMany } from "./holds.store.ts";
import { verify } from "./verify.store.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
  await database.db.query("GRANT UPDATE ON ledger.entries TO CURRENT_USER");
  await database.db.query("ALTER TABLE ledger.entries DISABLE TRIGGER append_only");
});
after(async () => {
  const { mismatches } = await database.db.transaction(verify);
  await database.drop();
  assert.deepEqual(mismatches, []);
});

const nanos = (value: bigint): Nano => value as Nano;

async function stateOf(budgetId: Uuid): Promise<BudgetState> {
  const state = (await budgetState(database.db, [budgetId])).get(budgetId);
  assert.ok(state !== undefined);
  return state;
}

async function spend(accountId: Uuid, budgetId: Uuid, amount: bigint): Promise<void> {
  const request = exactHold(accountId, amount, { budgetId });
  assert.equal((await holdIn(database.db, request)).kind, "held");
  await settleIn(database.db, { holdId: request.holdId, chargeNano: nanos(amount), lossNano: nanos(0n) });
}

/** As if everything in this budget had happened that much earlier. */
async function letTimePass(budgetId: Uuid, interval: string): Promise<void> {
  await database.db.query("UPDATE ledger.entries SET at = at - $2::interval WHERE budget_id = $1", [budgetId, interval]);
  await database.db.query(
    "UPDATE ledger.budgets SET period_start = ledger.period_start(period, clock_timestamp() - $2::interval) WHERE budget_id = $1",
    [budgetId, interval],
  );
}

test("the limit counts what is charged and held; the refusal carries the limit's figures, not the account's", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const budgetId = await newBudget(database.db, accountId, 100n);
  await spend(accountId, budgetId, 30n);
  await holdIn(database.db, exactHold(accountId, 50n, { budgetId }));
  assert.deepEqual(await holdIn(database.db, exactHold(accountId, 21n, { budgetId })), {
    kind: "limit-exceeded",
    availableNano: 20n,
    heldNano: 50n,
  });
  assert.equal((await holdIn(database.db, exactHold(accountId, 21n))).kind, "held", "the account itself has enough");
});

test("periods begin at midnight in Moscow, days and months, whatever the session's time zone", async () => {
  const starts = await database.db.query<{ day: Date; month: Date }>(
    `SELECT ledger.period_start('day', moment) AS day, ledger.period_start('month', moment) AS month
     FROM unnest(ARRAY['2026-02-28T20:59:59.999Z', '2026-02-28T21:00:00Z', '2026-03-01T20:59:59Z']::timestamptz[]) AS moment`,
  );
  assert.deepEqual(
    starts.map(({ day, month }) => [day.toISOString(), month.toISOString()]),
    [
      ["2026-02-27T21:00:00.000Z", "2026-01-31T21:00:00.000Z"],
      ["2026-02-28T21:00:00.000Z", "2026-02-28T21:00:00.000Z"],
      ["2026-02-28T21:00:00.000Z", "2026-02-28T21:00:00.000Z"],
    ],
  );
});

test("a new period starts from nothing but what is still held; an old hold's charge counts in the period in which it ends", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const budgetId = await newBudget(database.db, accountId, 100n, "day");
  await spend(accountId, budgetId, 40n);
  const open = exactHold(accountId, 60n, { budgetId });
  await holdIn(database.db, open);
  assert.equal((await holdIn(database.db, exactHold(accountId, 1n, { budgetId }))).kind, "limit-exceeded");
  await letTimePass(budgetId, "24 hours");
  const reset = await stateOf(budgetId);
  assert.deepEqual(
    [reset.periodChargedNano, reset.heldNano, reset.availableNano, reset.chargedNano],
    [0n, 60n, 40n, 40n],
    "read before anything was written",
  );
  assert.equal((await holdIn(database.db, exactHold(accountId, 40n, { budgetId }))).kind, "held");
  await settleIn(database.db, { holdId: open.holdId, chargeNano: nanos(25n), lossNano: nanos(0n) });
  const state = await stateOf(budgetId);
  assert.deepEqual([state.periodChargedNano, state.heldNano, state.availableNano, state.chargedNano], [25n, 40n, 35n, 65n]);
  assert.equal(state.nextPeriodStart?.getTime(), (state.periodStart?.getTime() ?? 0) + 86_400_000);
});

test("a settlement alone starts the new period too", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const budgetId = await newBudget(database.db, accountId, 100n, "month");
  await spend(accountId, budgetId, 40n);
  const open = exactHold(accountId, 60n, { budgetId });
  await holdIn(database.db, open);
  await letTimePass(budgetId, "40 days");
  await settleIn(database.db, { holdId: open.holdId, chargeNano: nanos(7n), lossNano: nanos(0n) });
  assert.equal((await stateOf(budgetId)).periodChargedNano, 7n);
});

test("with the clock set back, a period never begins twice and the entry is not older than the period it counts in", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const budgetId = await newBudget(database.db, accountId, 100n, "day");
  await database.db.query("UPDATE ledger.budgets SET period_start = period_start + interval '1 day' WHERE budget_id = $1", [budgetId]);
  await spend(accountId, budgetId, 40n);
  assert.equal((await stateOf(budgetId)).availableNano, 60n);
  assert.deepEqual((await database.db.transaction(verify)).mismatches, []);
});

test("ended in one batch, no entry is older than the period of any of its budgets", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const budgets = [await newBudget(database.db, accountId, 100n, "day"), await newBudget(database.db, accountId, 100n, "day")];
  // Another process, whose clock is ahead, has begun the next period of one of them.
  await database.db.query("UPDATE ledger.budgets SET period_start = period_start + interval '1 day' WHERE budget_id = $1", [budgets[0]]);
  const requests = budgets.map((budgetId) => exactHold(accountId, 10n, { budgetId }));
  await holdMany(database.db, requests, false);
  await settleMany(
    database.db,
    requests.map(({ holdId }) => ({ holdId, chargeNano: nanos(10n), lossNano: nanos(0n) })),
  );
  assert.deepEqual((await database.db.transaction(verify)).mismatches, []);
});

test("a limit below what is used stops new holds and nothing else; raising it opens the difference", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const budgetId = await newBudget(database.db, accountId, 100n);
  await spend(accountId, budgetId, 30n);
  const open = exactHold(accountId, 60n, { budgetId });
  await holdIn(database.db, open);
  await database.db.transaction((tx) => updateBudget(tx, { budgetId, limitNano: nanos(50n), period: "total" }));
  assert.deepEqual(await holdIn(database.db, exactHold(accountId, 1n, { budgetId })), {
    kind: "limit-exceeded",
    availableNano: 0n,
    heldNano: 60n,
  });
  assert.equal((await settleIn(database.db, { holdId: open.holdId, chargeNano: nanos(60n), lossNano: nanos(0n) })).kind, "settled");
  await database.db.transaction((tx) => updateBudget(tx, { budgetId, limitNano: nanos(95n), period: "total" }));
  assert.equal((await stateOf(budgetId)).availableNano, 5n);
  await database.db.transaction((tx) => updateBudget(tx, { budgetId, limitNano: null, period: "total" }));
  assert.equal((await stateOf(budgetId)).availableNano, null);
});

test("a change of period counts what was charged in the running one of the new kind", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const budgetId = await newBudget(database.db, accountId, 100n, "total");
  await spend(accountId, budgetId, 30n);
  await letTimePass(budgetId, "40 days");
  await spend(accountId, budgetId, 20n);
  const charged: bigint[] = [];
  for (const period of ["month", "total", "day"] as const) {
    await database.db.transaction((tx) => updateBudget(tx, { budgetId, limitNano: nanos(100n), period }));
    charged.push((await stateOf(budgetId)).periodChargedNano);
  }
  assert.deepEqual(charged, [20n, 50n, 20n]);
});
