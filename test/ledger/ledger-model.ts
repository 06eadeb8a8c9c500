/**
 * The ledger as plain arithmetic: what every hold and settlement must come to, one at a time
 * (contract §6).
 */
import assert from "node:assert/strict";
import type { BudgetPeriod } from "../../src/contract/enums/budget-period.ts";
import type { Nano } from "../../src/kernel/money.ts";
import type { HoldRequest, HoldVerdict, SettleVerdict } from "../../src/ledger/hold-verdicts.ts";

interface ModelAccount {
  credited: bigint;
  charged: bigint;
  held: bigint;
  blocked: boolean;
}
export interface ModelBudget {
  readonly account: number;
  limit: bigint | null;
  period: BudgetPeriod;
  periodCharged: bigint;
  charged: bigint;
  held: bigint;
  closed: boolean;
}
export interface ModelHold {
  readonly request: HoldRequest;
  readonly account: number;
  readonly budget: number | null;
  held: bigint;
  recorded: bigint;
  /** The charge, once it has ended. */
  ended: bigint | null;
}
export interface Model {
  readonly accounts: ModelAccount[];
  readonly budgets: ModelBudget[];
  readonly holds: ModelHold[];
  readonly references: string[];
}
/** Brands a plain amount. */
export const nanos = (value: bigint): Nano => value as Nano;

export const roomOf = (account: ModelAccount): bigint =>
  account.credited - account.charged - account.held;
export const limitRoom = (budget: ModelBudget): bigint | null => {
  if (budget.limit === null) return null;
  const room = budget.limit - budget.periodCharged - budget.held;
  return room > 0n ? room : 0n;
};

/** The decision on one request; the model is not changed. */
export function decide(
  model: Model,
  request: HoldRequest,
  accountAt: number,
  budgetAt: number | null,
): HoldVerdict {
  const account = model.accounts[accountAt];
  const budget = budgetAt === null ? undefined : model.budgets[budgetAt];
  if (account === undefined) return { kind: "unknown-account" };
  if (account.blocked) return { kind: "account-blocked" };
  if (budget !== undefined && (budget.closed || budget.account !== accountAt))
    return { kind: "budget-closed" };
  const room = roomOf(account);
  const bound = budget === undefined ? null : limitRoom(budget);
  const least = bound !== null && bound < room ? bound : room;
  const { fullNano, sliceNano, minimumNano } = request;
  if (fullNano !== null && fullNano * 4n <= least)
    return { kind: "held", heldNano: fullNano, tier: "full" };
  if (sliceNano <= least) return { kind: "held", heldNano: sliceNano, tier: "slice" };
  if (minimumNano <= least) return { kind: "held", heldNano: minimumNano, tier: "minimum" };
  if (minimumNano > room)
    return {
      kind: "insufficient-balance",
      availableNano: nanos(room),
      heldNano: nanos(account.held),
    };
  assert.ok(budget !== undefined && bound !== null);
  return { kind: "limit-exceeded", availableNano: nanos(bound), heldNano: nanos(budget.held) };
}

/** Ends a hold in the model; a null charge takes what was recorded. */
export function settleModel(
  model: Model,
  hold: ModelHold,
  chargeNano: bigint | null,
): SettleVerdict {
  const wanted = chargeNano ?? hold.recorded;
  const charged = wanted < hold.held ? wanted : hold.held;
  const account = model.accounts[hold.account];
  const budget = hold.budget === null ? undefined : model.budgets[hold.budget];
  assert.ok(account !== undefined);
  account.held -= hold.held;
  account.charged += charged;
  if (budget !== undefined) {
    budget.held -= hold.held;
    budget.charged += charged;
    budget.periodCharged += charged;
  }
  hold.ended = charged;
  return { kind: "settled", chargedNano: nanos(charged), releasedNano: nanos(hold.held - charged) };
}
