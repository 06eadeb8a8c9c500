/**
 * Model-based test of the ledger: random histories against plain arithmetic, on real PostgreSQL
 * (contract §6; hazards §16).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import type { BudgetPeriod } from "../contract/enums/budget-period.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import {
  decide,
  limitRoom,
  nanos,
  roomOf,
  settleModel,
  type Model,
  type ModelBudget,
} from "../../test/ledger/ledger-model.ts";
import { newUuid, type Uuid } from "../kernel/ids.ts";
import { balance, openAccount, setAccountState } from "./accounts.store.ts";
import { budgetState, closeBudget, openBudget, updateBudget } from "./budgets.store.ts";
import { extendMany, holdMany, settleMany } from "./holds.store.ts";
import type { HoldRequest, SettleVerdict } from "./hold-verdicts.ts";
import { adjust, credit } from "./transfers.store.ts";
import { verify } from "./verify.store.ts";

interface Real {
  readonly accounts: readonly Uuid[];
  readonly budgets: readonly Uuid[];
}
type Command = fc.AsyncCommand<Model, Real>;

/**
 * A few thousand operations in some seconds; raise it for a long night. A failure prints its seed
 * and path.
 */
const HISTORIES = 40;

/** Verdicts met so far: a run in which one never occurred has tested less than it says. */
const seen = new Set<string>();
const OUTCOMES = [
  "full",
  "slice",
  "minimum",
  "insufficient-balance",
  "limit-exceeded",
  "budget-closed",
  "account-blocked",
  "unknown-account",
  "extended",
  "refused",
  "gone",
  "settled",
  "already-settled",
  "credited",
  "duplicate",
  "adjusted",
  "adjust refused",
  "held again",
  "ended meanwhile",
];

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
  // The histories travel in time, which a real ledger refuses.
  await database.db.query("GRANT UPDATE ON ledger.entries TO CURRENT_USER");
  await database.db.query("ALTER TABLE ledger.entries DISABLE TRIGGER append_only");
});
after(async () => database.drop());

async function assertSame(model: Model, real: Real): Promise<void> {
  for (const [index, account] of model.accounts.entries()) {
    const found = await balance(database.db, real.accounts[index] ?? "");
    assert.ok(found !== null);
    assert.ok(found.availableNano >= 0n, "available is never negative");
    assert.deepEqual(
      [found.creditedNano, found.chargedNano, found.heldNano, found.state],
      [account.credited, account.charged, account.held, account.blocked ? "blocked" : "open"],
    );
  }
  const states = await budgetState(database.db, real.budgets);
  for (const [index, budget] of model.budgets.entries()) {
    const found = states.get(real.budgets[index] ?? "");
    assert.ok(found !== undefined);
    assert.deepEqual(
      [
        found.periodChargedNano,
        found.chargedNano,
        found.heldNano,
        found.availableNano,
        found.state,
      ],
      [
        budget.periodCharged,
        budget.charged,
        budget.held,
        limitRoom(budget),
        budget.closed ? "closed" : "open",
      ],
    );
  }
}

interface Draw {
  readonly account: number;
  readonly budget: number | null;
  readonly full: bigint | null;
  readonly slice: bigint;
  readonly minimum: bigint;
}

const amount = fc.bigInt({ min: 0n, max: 400n });
const draw: fc.Arbitrary<Draw> = fc.record({
  account: fc.constantFrom(0, 0, 0, 1, 1, 2),
  budget: fc.constantFrom(null, 0, 1, 2),
  full: fc.option(amount),
  slice: amount,
  minimum: fc.bigInt({ min: 0n, max: 100n }),
});

function command(name: string, run: (model: Model, real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    async run(model, real) {
      await run(model, real);
      await assertSame(model, real);
    },
    toString: () => name,
  };
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? item.toString() : item));

const holdCommand = fc.array(draw, { minLength: 1, maxLength: 5 }).map((draws) =>
  command(`hold ${text(draws)}`, async (model, real) => {
    const requests = draws.map((row): HoldRequest => ({
      holdId: newUuid(),
      accountId: real.accounts[row.account] ?? newUuid(),
      budgetId: row.budget === null ? null : (real.budgets[row.budget] ?? null),
      ownerId: null,
      fullNano: row.full === null ? null : nanos(row.full),
      sliceNano: nanos(row.slice),
      minimumNano: nanos(row.minimum),
      reference: "model",
      priceVersion: 1,
      detail: "{}",
    }));
    const verdicts = await holdMany(database.db, requests, false);
    for (const [index, request] of requests.entries()) {
      const row = draws[index];
      assert.ok(row !== undefined);
      const expected = decide(model, request, row.account, row.budget);
      assert.deepEqual(verdicts[index], expected);
      seen.add(expected.kind === "held" ? expected.tier : expected.kind);
      if (expected.kind !== "held") continue;
      model.holds.push({
        request,
        account: row.account,
        budget: row.budget,
        held: expected.heldNano,
        recorded: 0n,
        ended: null,
      });
      const account = model.accounts[row.account];
      const budget = row.budget === null ? undefined : model.budgets[row.budget];
      if (account !== undefined) account.held += expected.heldNano;
      if (budget !== undefined) budget.held += expected.heldNano;
    }
  }),
);

const holdAgainCommand = fc.nat().map((pick) =>
  command(`hold again ${pick}`, async (model) => {
    const hold = model.holds[pick % Math.max(1, model.holds.length)];
    if (hold === undefined || (hold.ended === null && hold.recorded > 0n)) return;
    const [verdict] = await holdMany(database.db, [hold.request], true);
    seen.add(hold.ended === null ? "held again" : "ended meanwhile");
    if (hold.ended !== null) assert.equal(verdict, null);
    else
      assert.ok(
        verdict?.kind === "held" && verdict.heldNano === hold.held,
        "a repeated hold is reported, not made twice",
      );
  }),
);

const extendCommand = fc
  .tuple(fc.nat(), amount, amount, fc.boolean())
  .map(([pick, add, recorded, twice]) =>
    command(`extend ${pick} by ${add} recorded ${recorded} twice ${twice}`, async (model) => {
      const hold = model.holds[pick % Math.max(1, model.holds.length)];
      if (hold === undefined) return;
      const request = {
        holdId: hold.request.holdId,
        addNano: nanos(add),
        recordedNano: nanos(recorded),
        detail: '{"n":1}',
        token: BigInt(pick) + 1n,
      };
      const [verdict] = await extendMany(database.db, [request], false);
      seen.add(verdict?.kind ?? "nothing");
      if (hold.ended !== null) return assert.deepEqual(verdict, { kind: "gone" });
      const account = model.accounts[hold.account];
      const budget = hold.budget === null ? undefined : model.budgets[hold.budget];
      assert.ok(account !== undefined);
      const bound = budget === undefined ? null : limitRoom(budget);
      const fits = add <= roomOf(account) && (bound === null || add <= bound);
      if (fits) {
        hold.held += add;
        account.held += add;
        if (budget !== undefined) budget.held += add;
      }
      hold.recorded = recorded < hold.held ? recorded : hold.held;
      assert.deepEqual(verdict, { kind: fits ? "extended" : "refused", heldNano: hold.held });
      if (fits && twice) {
        assert.deepEqual(
          await extendMany(database.db, [request], true),
          [verdict],
          "a repeated extension is reported, not granted twice",
        );
      }
    }),
  );

const settleCommand = fc
  .array(
    fc.tuple(fc.nat(), fc.option(fc.bigInt({ min: 0n, max: 600n })), fc.constantFrom(0n, 0n, 7n)),
    { minLength: 1, maxLength: 4 },
  )
  .map((rows) =>
    command(`settle ${text(rows)}`, async (model) => {
      if (model.holds.length === 0) return;
      const picked = new Map(
        rows.map(([pick, charge, loss]) => [pick % model.holds.length, { charge, loss }] as const),
      );
      const settlements = [...picked].map(([pick, { charge, loss }]) => {
        const hold = model.holds[pick];
        assert.ok(hold !== undefined);
        return {
          hold,
          holdId: hold.request.holdId,
          chargeNano: charge === null ? null : nanos(charge),
          lossNano: nanos(loss),
        };
      });
      const verdicts = await settleMany(database.db, settlements);
      for (const [index, { hold, chargeNano }] of settlements.entries()) {
        const expected: SettleVerdict =
          hold.ended === null
            ? settleModel(model, hold, chargeNano)
            : { kind: "already-settled", chargedNano: nanos(hold.ended) };
        assert.deepEqual(verdicts[index], expected);
        seen.add(expected.kind);
      }
    }),
  );

const creditCommand = fc
  .tuple(fc.nat({ max: 1 }), fc.bigInt({ min: 1n, max: 1500n }), fc.option(fc.nat(), { freq: 3 }))
  .map(([at, value, again]) =>
    command(`credit ${at} ${value} again ${again}`, async (model, real) => {
      const account = model.accounts[at];
      assert.ok(account !== undefined);
      const repeated =
        again === null ? undefined : model.references[again % Math.max(1, model.references.length)];
      const reference = repeated ?? newUuid();
      const verdict = await credit(database.db, {
        accountId: real.accounts[at] ?? "",
        amountNano: nanos(value),
        reference,
        kind: "topup",
      });
      seen.add(verdict.kind);
      assert.equal(verdict.kind, repeated === undefined ? "credited" : "duplicate");
      if (repeated !== undefined) return;
      account.credited += value;
      model.references.push(reference);
    }),
  );

const adjustCommand = fc
  .tuple(fc.nat({ max: 1 }), fc.bigInt({ min: -800n, max: 300n }))
  .map(([at, value]) =>
    command(`adjust ${at} by ${value}`, async (model, real) => {
      const account = model.accounts[at];
      if (value === 0n || account === undefined) return;
      const verdict = await database.db.transaction((tx) =>
        adjust(tx, {
          accountId: real.accounts[at] ?? "",
          amountNano: nanos(value),
          reference: newUuid(),
          note: "model",
        }),
      );
      const fits = roomOf(account) + value >= 0n;
      assert.equal(verdict.kind, fits ? "adjusted" : "insufficient-balance");
      seen.add(fits ? "adjusted" : "adjust refused");
      if (fits) account.credited += value;
    }),
  );

const limitCommand = fc
  .tuple(fc.nat({ max: 2 }), fc.option(fc.bigInt({ min: 0n, max: 1500n })))
  .map(([at, limit]) =>
    command(`limit ${at} ${limit}`, async (model, real) => {
      const budget = model.budgets[at];
      assert.ok(budget !== undefined);
      const change = {
        budgetId: real.budgets[at] ?? "",
        limitNano: limit === null ? null : nanos(limit),
        period: budget.period,
      };
      await database.db.transaction((tx) => updateBudget(tx, change));
      budget.limit = limit;
    }),
  );

const stateCommand = fc.tuple(fc.nat({ max: 1 }), fc.boolean()).map(([at, blocked]) =>
  command(`${blocked ? "block" : "open"} ${at}`, async (model, real) => {
    await setAccountState(database.db, real.accounts[at] ?? "", blocked ? "blocked" : "open");
    const account = model.accounts[at];
    if (account !== undefined) account.blocked = blocked;
  }),
);

// Rarely: a closed budget ends most of what can happen in it.
const closeCommand = fc.nat({ max: 20 }).map((at) =>
  command(`close budget ${at}`, async (model, real) => {
    await closeBudget(database.db, real.budgets[at] ?? newUuid());
    const budget = model.budgets[at];
    if (budget !== undefined) budget.closed = true;
  }),
);

const nextMonthCommand = fc.constant(
  command("next month", async (model, real) => {
    await database.db.query(
      "UPDATE ledger.entries SET at = at - interval '40 days' WHERE account_id = ANY ($1::uuid[])",
      [real.accounts],
    );
    await database.db.query(
      "UPDATE ledger.budgets SET period_start = period_start - interval '40 days' WHERE budget_id = ANY ($1::uuid[])",
      [real.budgets],
    );
    for (const budget of model.budgets) if (budget.period === "month") budget.periodCharged = 0n;
  }),
);

async function newWorld(): Promise<{ model: Model; real: Real }> {
  const accounts = [newUuid(), newUuid()];
  const budgets: ModelBudget[] = [
    { account: 0, limit: null, period: "total" },
    { account: 0, limit: 900n, period: "month" },
    { account: 1, limit: 700n, period: "total" },
  ].map((budget) => ({
    ...budget,
    period: budget.period as BudgetPeriod,
    periodCharged: 0n,
    charged: 0n,
    held: 0n,
    closed: false,
  }));
  const budgetIds = budgets.map(() => newUuid());
  for (const [index, accountId] of accounts.entries()) {
    await openAccount(database.db, accountId);
    await credit(database.db, {
      accountId,
      amountNano: nanos(index === 0 ? 3000n : 600n),
      reference: newUuid(),
      kind: "topup",
    });
  }
  for (const [index, budget] of budgets.entries()) {
    const limitNano = budget.limit === null ? null : nanos(budget.limit);
    await openBudget(database.db, {
      budgetId: budgetIds[index] ?? "",
      accountId: accounts[budget.account] ?? "",
      limitNano,
      period: budget.period,
    });
  }
  const model: Model = {
    accounts: [3000n, 600n].map((credited) => ({
      credited,
      charged: 0n,
      held: 0n,
      blocked: false,
    })),
    budgets,
    holds: [],
    references: [],
  };
  return { model, real: { accounts, budgets: budgetIds } };
}

test("any history of holds, extensions, settlements, credits, adjustments, limits, blocks and period rolls equals plain arithmetic, and verify agrees", async () => {
  const commands = fc.commands(
    [
      holdCommand,
      holdCommand,
      holdCommand,
      holdAgainCommand,
      extendCommand,
      extendCommand,
      settleCommand,
      settleCommand,
      creditCommand,
      adjustCommand,
      limitCommand,
      stateCommand,
      closeCommand,
      nextMonthCommand,
    ],
    { maxCommands: 60, size: "max" },
  );
  await fc.assert(
    fc.asyncProperty(commands, async (history) => {
      const world = await newWorld();
      await fc.asyncModelRun(async () => world, history);
      const { mismatches } = await database.db.transaction(verify);
      assert.deepEqual(mismatches, []);
    }),
    { numRuns: HISTORIES },
  );
  assert.deepEqual(
    OUTCOMES.filter((outcome) => !seen.has(outcome)),
    [],
    "outcomes that no history met",
  );
});
