/**
 * Key limits in the same decision as the balance: per day, per month, in total, with Moscow's
 * midnights (hazards §11).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { BudgetPeriod } from "../contract/enums/budget-period.ts";
import { createPageWriter, ended, openJournal, ownGrant } from "../../test/ledger/journal-world.ts";
import { exactHold, fundedAccount, newBudget } from "../../test/ledger/ledger-world.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { until } from "../../test/support/until.ts";
import { newUuid, type Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import { budgetState, succeedBudget, updateBudget, type BudgetState } from "./budgets.store.ts";
import { grantMany } from "./grants.store.ts";
import { holdIn, settleIn } from "./holds.store.ts";
import { postAll } from "./journals.store.ts";
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
  await settleIn(database.db, {
    accountId,
    holdId: request.holdId,
    chargeNano: nanos(amount),
    lossNano: nanos(0n),
  });
}

/** As if everything in the account of this budget had happened that much earlier. */
async function letTimePass(budgetId: Uuid, interval: string): Promise<void> {
  const { accountId } = await stateOf(budgetId);
  for (const change of [
    "ledger.entries SET at = at - $2::interval",
    "usage.hourly SET hour = hour - $2::interval",
    "ledger.accounts SET entered_at = entered_at - $2::interval",
    "ledger.budgets SET carried_at = carried_at - $2::interval, period_start = ledger.period_start(period, clock_timestamp() - $2::interval)",
  ])
    await database.db.query(`UPDATE ${change} WHERE account_id = $1`, [accountId, interval]);
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
  assert.equal(
    (await holdIn(database.db, exactHold(accountId, 21n))).kind,
    "held",
    "the account itself has enough",
  );
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
  assert.equal(
    (await holdIn(database.db, exactHold(accountId, 1n, { budgetId }))).kind,
    "limit-exceeded",
  );
  await letTimePass(budgetId, "24 hours");
  const reset = await stateOf(budgetId);
  assert.deepEqual(
    [reset.periodChargedNano, reset.heldNano, reset.availableNano, reset.chargedNano],
    [0n, 60n, 40n, 40n],
    "read before anything was written",
  );
  assert.equal((await holdIn(database.db, exactHold(accountId, 40n, { budgetId }))).kind, "held");
  await settleIn(database.db, {
    accountId,
    holdId: open.holdId,
    chargeNano: nanos(25n),
    lossNano: nanos(0n),
  });
  const state = await stateOf(budgetId);
  assert.deepEqual(
    [state.periodChargedNano, state.heldNano, state.availableNano, state.chargedNano],
    [25n, 40n, 35n, 65n],
  );
  assert.equal(state.nextPeriodStart?.getTime(), (state.periodStart?.getTime() ?? 0) + 86_400_000);
});

test("a settlement alone starts the new period too", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const budgetId = await newBudget(database.db, accountId, 100n, "month");
  await spend(accountId, budgetId, 40n);
  const open = exactHold(accountId, 60n, { budgetId });
  await holdIn(database.db, open);
  await letTimePass(budgetId, "40 days");
  await settleIn(database.db, {
    accountId,
    holdId: open.holdId,
    chargeNano: nanos(7n),
    lossNano: nanos(0n),
  });
  assert.equal((await stateOf(budgetId)).periodChargedNano, 7n);
});

test("with the clock set back, a period never begins twice and the entry is not older than the period it counts in", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const budgetId = await newBudget(database.db, accountId, 100n, "day");
  await database.db.query(
    "UPDATE ledger.budgets SET period_start = period_start + interval '1 day' WHERE budget_id = $1",
    [budgetId],
  );
  await spend(accountId, budgetId, 40n);
  assert.equal((await stateOf(budgetId)).availableNano, 60n);
  assert.deepEqual((await database.db.transaction(verify)).mismatches, []);
});

test("posted together, no entry is older or younger than the period that its charge was counted in", async () => {
  const accountId = await fundedAccount(database.db, 4_000n);
  const budgets = [
    await newBudget(database.db, accountId, 1_000n, "day"),
    await newBudget(database.db, accountId, 1_000n, "day"),
  ];
  // Another process, whose clock is ahead, has begun the next period of one of them.
  await database.db.query(
    "UPDATE ledger.budgets SET period_start = period_start + interval '1 day' WHERE budget_id = $1",
    [budgets[0]],
  );
  const journalId = await openJournal(database.db);
  const writer = createPageWriter(database.db, journalId);
  const grants = budgets.map((budgetId) => ownGrant(accountId, 10n, { budgetId }));
  await grantMany(database.db, journalId, grants, false);
  await writer.write(
    ...grants.map(({ holdId }) =>
      ended({ requestId: holdId, accountId, holdId, heldNano: nanos(10n) }, 10n),
    ),
  );
  await postAll(database.db);
  assert.deepEqual((await database.db.transaction(verify)).mismatches, []);
  // The other one's next period begins with nothing charged.
  await database.db.query(
    "UPDATE ledger.budgets SET period_start = period_start + interval '1 day', period_charged_nano = 0 WHERE budget_id = $1",
    [budgets[1]],
  );
  assert.deepEqual((await database.db.transaction(verify)).mismatches, []);
});

test("a limit below what is used stops new holds and nothing else; raising it opens the difference", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const budgetId = await newBudget(database.db, accountId, 100n);
  await spend(accountId, budgetId, 30n);
  const open = exactHold(accountId, 60n, { budgetId });
  await holdIn(database.db, open);
  await database.db.transaction((tx) =>
    updateBudget(tx, { budgetId, limitNano: nanos(50n), period: "total" }),
  );
  assert.deepEqual(await holdIn(database.db, exactHold(accountId, 1n, { budgetId })), {
    kind: "limit-exceeded",
    availableNano: 0n,
    heldNano: 60n,
  });
  assert.equal(
    (
      await settleIn(database.db, {
        accountId,
        holdId: open.holdId,
        chargeNano: nanos(60n),
        lossNano: nanos(0n),
      })
    ).kind,
    "settled",
  );
  await database.db.transaction((tx) =>
    updateBudget(tx, { budgetId, limitNano: nanos(95n), period: "total" }),
  );
  assert.equal((await stateOf(budgetId)).availableNano, 5n);
  await database.db.transaction((tx) =>
    updateBudget(tx, { budgetId, limitNano: null, period: "total" }),
  );
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
    await database.db.transaction((tx) =>
      updateBudget(tx, { budgetId, limitNano: nanos(100n), period }),
    );
    charged.push((await stateOf(budgetId)).periodChargedNano);
  }
  assert.deepEqual(charged, [20n, 50n, 20n]);
});

async function succeed(budgetId: Uuid): Promise<Uuid> {
  const heir = newUuid();
  await database.db.transaction((tx) => succeedBudget(tx, heir, budgetId));
  return heir;
}

const setLimit = (budgetId: Uuid, limit: bigint, period: BudgetPeriod) =>
  database.db.transaction((tx) => updateBudget(tx, { budgetId, limitNano: nanos(limit), period }));

test("a budget in another's place has used what that one has charged in the period and holds; the next period is its own", async () => {
  for (const period of ["day", "month", "total"] as const) {
    const accountId = await fundedAccount(database.db, 1_000n);
    const budgetId = await newBudget(database.db, accountId, 100n, period);
    await spend(accountId, budgetId, 30n);
    await holdIn(database.db, exactHold(accountId, 20n, { budgetId }));
    const heir = await succeed(budgetId);
    const state = await stateOf(heir);
    assert.deepEqual(
      [state.limitNano, state.period, state.availableNano, state.chargedNano],
      [100n, period, 50n, 0n],
    );
    await spend(accountId, heir, 40n);
    assert.equal(
      (await holdIn(database.db, exactHold(accountId, 11n, { budgetId: heir }))).kind,
      "limit-exceeded",
    );
    assert.equal(
      (await stateOf(await succeed(heir))).availableNano,
      10n,
      "and so for the one after it",
    );
    await letTimePass(heir, "40 days");
    assert.equal((await stateOf(heir)).availableNano, period === "total" ? 10n : 100n);
    await spend(accountId, heir, 5n);
  }
});

test("a budget that ended its period in another process is not carried over; one above its limit is, and admits nothing", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const budgetId = await newBudget(database.db, accountId, 100n, "day");
  await spend(accountId, budgetId, 90n);
  await setLimit(budgetId, 50n, "day");
  const above = await succeed(budgetId);
  assert.equal((await stateOf(above)).availableNano, 0n);
  await setLimit(above, 95n, "day");
  assert.equal((await stateOf(above)).availableNano, 5n);
  await letTimePass(budgetId, "24 hours");
  assert.equal((await stateOf(await succeed(budgetId))).availableNano, 50n);
});

test("a change of period counts what those charged whose place a budget took", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const first = await newBudget(database.db, accountId, null, "total");
  await spend(accountId, first, 5n);
  await letTimePass(first, "40 days");
  await spend(accountId, first, 30n);
  const second = await succeed(first);
  await spend(accountId, second, 20n);
  const third = await succeed(second);
  await spend(accountId, third, 7n);
  const charged: bigint[] = [];
  for (const period of ["month", "total", "day", "day"] as const) {
    await setLimit(third, 100n, period);
    charged.push((await stateOf(third)).periodChargedNano);
  }
  assert.deepEqual(charged, [57n, 62n, 57n, 57n]);
  assert.equal((await stateOf(third)).chargedNano, 7n);
});

test("a hold that is being taken is counted by the budget that takes the place: it waits for it", async () => {
  const accountId = await fundedAccount(database.db, 1_000n);
  const budgetId = await newBudget(database.db, accountId, 100n);
  const heir = newUuid();
  let ended = false;
  const succeeding = await database.db.transaction(async (tx) => {
    assert.equal((await holdIn(tx, exactHold(accountId, 30n, { budgetId }))).kind, "held");
    const beside = database.db
      .transaction((other) => succeedBudget(other, heir, budgetId))
      .finally(() => {
        ended = true;
      });
    await until("the lock is waited for", async () => {
      const waiting = await database.db.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO ledger.budgets%'",
      );
      return ended || waiting.length > 0;
    });
    return { beside };
  });
  assert.equal(await succeeding.beside, "opened");
  assert.equal((await stateOf(heir)).availableNano, 70n);
});
