/**
 * The ledger as plain arithmetic: what every grant, page and settlement must come to, one at a
 * time (contract §6).
 */
import assert from "node:assert/strict";
import type { BudgetPeriod } from "../../src/contract/enums/budget-period.ts";
import type { CreditClass } from "../../src/contract/enums/credit-class.ts";
import type { Uuid } from "../../src/kernel/ids.ts";
import type { Nano } from "../../src/kernel/money.ts";
import type { GrantRequest, GrantVerdict } from "../../src/ledger/hold-verdicts.ts";
import type { CarveRequest, CarveVerdict } from "./carve-in.ts";
import type { PageElement } from "../../src/serving/money/page-elements.ts";
import type { PagedRequest, PageWriter } from "./journal-world.ts";

interface ModelAccount {
  /** What is left of each class of credit: spent one after the other. */
  readonly left: Record<CreditClass, bigint>;
  credited: bigint;
  charged: bigint;
  /** With what of leases is not in use. */
  held: bigint;
  blocked: boolean;
}
export interface ModelBudget {
  readonly account: number;
  /** The one that it lies in by now. */
  group: number | null;
  limit: bigint | null;
  period: BudgetPeriod;
  periodCharged: bigint;
  charged: bigint;
  held: bigint;
  closed: boolean;
}
export interface ModelHold {
  readonly holdId: Uuid;
  readonly account: number;
  readonly budget: number | null;
  /** In which it stands, wherever its budget lies by now. */
  readonly group: number | null;
  /** Null: a task's. */
  readonly journal: ModelJournal | null;
  readonly shared: boolean;
  held: bigint;
  token: bigint;
  granted: bigint;
  /** Of a lease, as its process knows it: in use by no request, and requests that go on. */
  free: bigint;
  live: number;
}
/** A request as its process knows it. */
export interface ModelRequest {
  paged: PagedRequest;
  readonly hold: ModelHold;
  noted: boolean;
}
export interface ModelJournal {
  readonly writer: PageWriter;
  /** Written and not posted. */
  readonly pages: PageElement[][];
  readonly requests: ModelRequest[];
}
interface ModelUnfinished {
  readonly hold: ModelHold;
  readonly held: bigint;
  readonly recorded: bigint;
}
export interface Model {
  readonly accounts: ModelAccount[];
  readonly budgets: ModelBudget[];
  readonly holds: Map<Uuid, ModelHold>;
  readonly unfinished: Map<Uuid, ModelUnfinished>;
  /** Charges by request and task, once booked. */
  readonly entries: Map<Uuid, bigint>;
  losses: bigint;
  readonly journals: ModelJournal[];
  readonly tasks: ModelRequest[];
  readonly references: string[];
}
/** Brands a plain amount. */
export const nanos = (value: bigint): Nano => value as Nano;

export const roomOf = (account: ModelAccount): bigint =>
  account.credited - account.charged - account.held;
export const limitRoom = (budget: ModelBudget, held = budget.held): bigint | null => {
  if (budget.limit === null) return null;
  const room = budget.limit - budget.periodCharged - held;
  return room > 0n ? room : 0n;
};

export const standsIn = (hold: ModelHold, budget: number): boolean =>
  hold.budget === budget || hold.group === budget;

/** Shown as held: not what of a lease no noted request uses. */
export function inUse(model: Model, of: (hold: ModelHold) => boolean): bigint {
  let sum = 0n;
  for (const hold of model.holds.values()) if (of(hold) && !hold.shared) sum += hold.held;
  for (const { hold, held } of model.unfinished.values()) if (of(hold) && hold.shared) sum += held;
  return sum;
}

export interface Place {
  readonly account: number;
  readonly budget: number | null;
  readonly group: number | null;
}

/** The decision on one request; the model is not changed. */
export function decide(
  model: Model,
  request: GrantRequest,
  { account: accountAt, budget: budgetAt, group: groupAt }: Place,
): GrantVerdict {
  const account = model.accounts[accountAt];
  const budget = budgetAt === null ? undefined : model.budgets[budgetAt];
  const group = groupAt === null ? undefined : model.budgets[groupAt];
  const { fullNano, sliceNano, minimumNano, grows, lease } = request;
  if (grows && !model.holds.has(request.holdId)) return { kind: "gone" };
  if (account === undefined) return { kind: "unknown-account" };
  if (account.blocked && !grows) return { kind: "account-blocked" };
  if (budget !== undefined && ((budget.closed && !grows) || budget.account !== accountAt))
    return { kind: "budget-closed" };
  if (budget !== undefined && !grows && budget.group !== groupAt) return { kind: "moved" };
  if (group !== undefined && group.closed && !grows) return { kind: "group-closed" };
  const room = roomOf(account);
  const ofBudget = budget === undefined ? null : limitRoom(budget);
  const ofGroup = group === undefined ? null : limitRoom(group);
  const isGroups = ofGroup !== null && (ofBudget === null || ofGroup < ofBudget);
  const bound = isGroups ? ofGroup : ofBudget;
  const least = bound !== null && bound < room ? bound : room;
  if (lease !== null) {
    const grantedNano = nanos(lease.wantNano * 20n <= least ? lease.wantNano : least / 20n);
    if (grantedNano >= (fullNano ?? sliceNano))
      return { kind: "leased", grantedNano, roomNano: nanos(least) };
  }
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
  const tight = isGroups ? group : budget;
  assert.ok(tight !== undefined && bound !== null);
  return {
    kind: isGroups ? "group-limit-exceeded" : "limit-exceeded",
    availableNano: nanos(bound),
    heldNano: nanos(tight.held),
  };
}

const IN_ORDER = ["trial", "bonus", "paid"] as const;

/** What is left when so much more is spent. */
export function leftAfter(
  left: Readonly<Record<CreditClass, bigint>>,
  spent: bigint,
): Record<CreditClass, bigint> {
  const after = { ...left };
  let open = spent;
  for (const one of IN_ORDER) {
    const part = after[one] < open ? after[one] : open;
    after[one] -= part;
    open -= part;
  }
  assert.equal(open, 0n, "no more is spent than there is");
  return after;
}

/** Of a hold: so much more is charged, and so much less held for it. */
function move(model: Model, hold: ModelHold, charge: bigint, freed: bigint): void {
  const account = model.accounts[hold.account];
  assert.ok(account !== undefined);
  const budgets = model.budgets.filter((_, at) => standsIn(hold, at));
  for (const total of [account, ...budgets]) {
    total.held -= charge + freed;
    total.charged += charge;
  }
  Object.assign(account.left, leftAfter(account.left, charge));
  for (const budget of budgets) budget.periodCharged += charge;
  hold.held -= charge + freed;
}

/** Sets more aside in a hold. */
export function grow(model: Model, hold: ModelHold, nano: bigint): void {
  move(model, hold, 0n, -nano);
  model.holds.set(hold.holdId, hold);
}

/** Part of a task's hold becomes a task of its own: no total of account or budget changes. */
export function carve(model: Model, request: CarveRequest): CarveVerdict {
  const { accountId, holdId, newHoldId, amountNano } = request;
  const task = model.tasks.find(({ hold }) => hold.holdId === holdId);
  if (task === undefined) return { kind: "unknown-hold" };
  const { hold } = task;
  if (hold.held < amountNano) return { kind: "insufficient-hold", heldNano: nanos(hold.held) };
  hold.held -= amountNano;
  task.paged = { ...task.paged, heldNano: nanos(hold.held) };
  const part = { ...hold, holdId: newHoldId, held: amountNano, granted: amountNano };
  model.holds.set(newHoldId, part);
  const paged = { requestId: newHoldId, accountId, holdId: newHoldId, heldNano: amountNano };
  model.tasks.push({ paged, hold: part, noted: false });
  return { kind: "carved", leftNano: nanos(hold.held) };
}

export function release(model: Model, hold: ModelHold): void {
  move(model, hold, 0n, hold.held);
  model.holds.delete(hold.holdId);
}

function book(model: Model, element: PageElement): void {
  const hold = model.holds.get(element.holdId);
  assert.ok(hold !== undefined, "a page names holds that are there");
  switch (element.kind) {
    case "ended":
      move(model, hold, element.chargeNano, 0n);
      if (!hold.shared) release(model, hold);
      model.entries.set(element.requestId, element.chargeNano);
      model.losses += element.lossNano;
      model.unfinished.delete(element.requestId);
      return;
    case "noted": {
      const { requestId, heldNano: held, recordedNano } = element;
      const recorded = recordedNano < held ? recordedNano : held;
      model.unfinished.set(requestId, { hold, held, recorded });
      return;
    }
    case "given":
      if (element.amountNano === null) release(model, hold);
      else move(model, hold, 0n, element.amountNano);
  }
}

export function bookAll(model: Model, elements: readonly PageElement[]): void {
  for (const element of elements) book(model, element);
}

/** Books the oldest pages: as many as begin within so many elements. True: others wait. */
export function postModel(model: Model, { pages }: ModelJournal, most: number): boolean {
  let before = 0;
  while (pages[0] !== undefined && before < most) {
    before += pages[0].length;
    bookAll(model, pages.shift() ?? []);
  }
  return pages.length > 0;
}
