/**
 * A request that comes alone is decided and booked exactly as it would be in a batch, though by
 * other functions of the database.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { exactHold, fundedAccount } from "../../test/ledger/ledger-world.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { newUuid, type Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import type { HoldRequest, HoldVerdict, Settlement } from "./hold-verdicts.ts";
import { holdMany, settleMany } from "./holds.store.ts";
import { verify } from "./verify.store.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

const nanos = (value: bigint): Nano => value as Nano;

/** A budget as it may stand before a request; ages are of its period's beginning. */
interface BudgetCase {
  readonly limit: bigint | null;
  readonly period: "day" | "month" | "total";
  readonly age: string;
  readonly charged: bigint;
  readonly closed: boolean;
  readonly foreign: boolean;
}

const BUDGETS: readonly (BudgetCase | null)[] = [
  null,
  ...(["day", "month", "total"] as const).flatMap((period) =>
    ["0 days", "40 days", "-40 days"].flatMap((age) =>
      [null, 95n, 149n, 399n, 400n, 5_000n].map((limit) => ({
        limit,
        period,
        age,
        charged: 90n,
        closed: false,
        foreign: false,
      })),
    ),
  ),
  { limit: null, period: "total", age: "0 days", charged: 0n, closed: true, foreign: false },
  { limit: null, period: "total", age: "0 days", charged: 0n, closed: false, foreign: true },
];
const FUNDS = [0n, 9n, 10n, 59n, 60n, 399n, 400n, 10_000n];
const FULL: readonly (bigint | null)[] = [null, 100n, 2n ** 62n];

interface World {
  readonly accountId: Uuid;
  readonly budgetId: Uuid | null;
}

/** Two of these are twins: what differs after a request is the request's doing. */
async function world(funds: bigint, budget: BudgetCase | null, blocked: boolean): Promise<World> {
  const accountId = await fundedAccount(database.db, funds);
  if (blocked)
    await database.db.query("UPDATE ledger.accounts SET blocked = true WHERE account_id = $1", [
      accountId,
    ]);
  if (budget === null) return { accountId, budgetId: null };
  const budgetId = newUuid();
  const owner = budget.foreign ? await fundedAccount(database.db, 0n) : accountId;
  await database.db.query(
    `INSERT INTO ledger.budgets (budget_id, account_id, limit_nano, period, period_start, closed, period_charged_nano, charged_nano)
     VALUES ($1, $2, $3, $4::ledger.period, ledger.period_start($4::ledger.period, clock_timestamp() - $5::interval), $6, $7, $7)`,
    [budgetId, owner, budget.limit, budget.period, budget.age, budget.closed, budget.charged],
  );
  return { accountId, budgetId };
}

/** Everything that is written down about it, without ids. */
async function books({ accountId, budgetId }: World): Promise<unknown> {
  const accounts = await database.db.query(
    "SELECT credited_nano, charged_nano, held_nano FROM ledger.accounts WHERE account_id = $1",
    [accountId],
  );
  const budgets = await database.db.query(
    "SELECT period_start, period_charged_nano, charged_nano, held_nano FROM ledger.budgets WHERE budget_id = $1",
    [budgetId],
  );
  const holds = await database.db.query(
    "SELECT budget_id IS NULL AS free, owner_id, held_nano, recorded_nano, price_version, reference, detail FROM ledger.holds WHERE account_id = $1",
    [accountId],
  );
  const entries = await database.db.query(
    `SELECT kind::text, budget_id IS NULL AS free, debit_id = account_id AS debited, credit_id = account_id AS credited, amount_nano, held_nano, released_nano,
       price_version, reference FROM ledger.entries WHERE account_id = $1 AND kind <> 'topup' ORDER BY seq`,
    [accountId],
  );
  return { accounts, budgets, holds, entries };
}

const requestIn = (
  { accountId, budgetId }: World,
  full: bigint | null,
  ownerId: Uuid,
): HoldRequest =>
  exactHold(accountId, 0n, {
    budgetId,
    ownerId,
    fullNano: full === null ? null : nanos(full),
    sliceNano: nanos(60n),
    minimumNano: nanos(10n),
    priceVersion: 7,
    reference: `request:"a\0b"`,
    detail: `{"a":"я"}`,
  });

test("alone or in a batch: the same verdict, the same books, whatever the balance, the budget and its period", async () => {
  const seen = new Set<string>();
  const ownerId = newUuid();
  for (const [index, budget] of BUDGETS.entries()) {
    for (const [nth, funds] of FUNDS.entries()) {
      const full = FULL[(index + nth) % FULL.length] ?? null;
      const [one, other] = [await world(funds, budget, false), await world(funds, budget, false)];
      const alone = await holdMany(database.db, [requestIn(one, full, ownerId)], false);
      // A retry of what never ran is decided by the function for batches.
      const batched = await holdMany(database.db, [requestIn(other, full, ownerId)], true);
      const label = `${funds} on the account, ${full} in full, budget ${index}`;
      assert.deepEqual(alone, batched, label);
      assert.deepEqual(await books(one), await books(other), label);
      const verdict = alone[0] as HoldVerdict;
      seen.add(verdict.kind === "held" ? verdict.tier : verdict.kind);
    }
  }
  assert.deepEqual([...seen].toSorted(), [
    "budget-closed",
    "full",
    "insufficient-balance",
    "limit-exceeded",
    "minimum",
    "slice",
  ]);
});

test("alone or in a batch: a blocked account and an unknown one are refused alike", async () => {
  const blocked = await world(1_000n, null, true);
  const nowhere = { accountId: newUuid(), budgetId: null };
  for (const place of [blocked, nowhere]) {
    const alone = await holdMany(database.db, [requestIn(place, null, newUuid())], false);
    assert.deepEqual(alone, await holdMany(database.db, [requestIn(place, null, newUuid())], true));
    assert.notEqual(alone[0]?.kind, "held");
  }
});

test("alone or in a batch: a hold ends alike, with its loss, its recorded charge, its period, and again", async () => {
  const charges: readonly (bigint | null)[] = [null, 0n, 5n, 60n, 61n, 2n ** 63n - 1n];
  const losses = [0n, 3n, 2n ** 63n - 1n];
  const other = await fundedAccount(database.db, 1_000_000n);
  for (const [index, budget] of BUDGETS.entries()) {
    if (budget?.closed === true || budget?.foreign === true || budget?.limit === 95n) continue;
    const end = {
      chargeNano: charges[index % charges.length] ?? null,
      lossNano: losses[index % losses.length] ?? 0n,
    } as Omit<Settlement, "holdId">;
    const twins = [
      await world(10_000n, budget, false),
      await world(10_000n, budget, false),
    ] as const;
    const ownerId = newUuid();
    const ids: Uuid[] = [];
    for (const twin of twins) {
      const request = requestIn(twin, null, ownerId);
      await holdMany(database.db, [request], false);
      await database.db.query("UPDATE ledger.holds SET recorded_nano = 4 WHERE hold_id = $1", [
        request.holdId,
      ]);
      // As if the period had begun long ago.
      await database.db.query(
        "UPDATE ledger.budgets SET period_start = period_start - $2::interval WHERE budget_id = $1 AND period <> 'total'",
        [twin.budgetId, budget?.age ?? "0 days"],
      );
      ids.push(request.holdId);
    }
    const beside = exactHold(other, 1n);
    await holdMany(database.db, [beside], false);
    const alone = async () => settleMany(database.db, [{ holdId: ids[0] ?? "", ...end }]);
    const batched = async () =>
      settleMany(database.db, [
        { holdId: ids[1] ?? "", ...end },
        { holdId: beside.holdId, chargeNano: null, lossNano: nanos(0n) },
      ]);
    for (const round of ["first", "again"]) {
      const [one, many] = [await alone(), await batched()];
      assert.deepEqual(one, many.slice(0, 1), `${round}, budget ${index}`);
    }
    assert.deepEqual(await books(twins[0]), await books(twins[1]), `budget ${index}`);
  }
  assert.deepEqual(
    await settleMany(database.db, [{ holdId: newUuid(), chargeNano: null, lossNano: nanos(0n) }]),
    [{ kind: "unknown-hold" }],
  );
  const { mismatches } = await database.db.transaction(verify);
  assert.deepEqual(
    mismatches.filter((mismatch) => !/period|budget/.test(JSON.stringify(mismatch))), // budgets were made with unbooked charges
    [],
  );
});
