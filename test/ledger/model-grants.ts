/** What the ledger's histories ask to set aside, and what each verdict does to the model. */
import fc from "fast-check";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import type { TokenedGrant } from "../../src/ledger/grants.store.ts";
import type { GrantVerdict } from "../../src/ledger/hold-verdicts.ts";
import { growGrant, leaseGrant, ownGrant } from "./journal-world.ts";
import {
  grow,
  nanos,
  type Model,
  type ModelHold,
  type ModelJournal,
  type Place,
} from "./ledger-model.ts";

export interface Real {
  readonly accounts: readonly Uuid[];
  readonly budgets: readonly Uuid[];
}
/** Verdicts met so far: a run in which one never occurred has tested less than it says. */
export const seen = new Set<string>();

export interface Draw {
  readonly what: "own" | "lease" | "grow";
  readonly pick: number;
  readonly place: readonly [account: number, budget: number | null];
  /** The group is another one than its process remembers. */
  readonly stale: boolean;
  readonly full: bigint | null;
  readonly slice: bigint;
  readonly minimum: bigint;
  readonly want: bigint;
}

export const amount = fc.bigInt({ min: 0n, max: 400n });
const few = fc.bigInt({ min: 0n, max: 12n });
/** Accounts and budgets, one of another account and one of no account among them. */
const PLACES: readonly (readonly [number, number | null])[] = [
  [0, null],
  [0, null],
  [0, 0],
  [0, 0],
  [0, 1],
  [0, 1],
  [0, 1],
  [1, null],
  [1, 2],
  [1, 2],
  [1, 0],
  [2, null],
];
export const draw: fc.Arbitrary<Draw> = fc.record({
  what: fc.constantFrom("own", "own", "lease", "lease", "grow"),
  pick: fc.nat(),
  place: fc.constantFrom(...PLACES),
  stale: fc.constantFrom(false, false, false, false, false, false, true),
  full: fc.option(fc.oneof(amount, few)),
  slice: fc.oneof(amount, few),
  minimum: fc.oneof(amount, few),
  want: amount,
});

export function pickOf<T>(items: readonly T[], pick: number): T | undefined {
  return items[pick % Math.max(1, items.length)];
}

export interface Row extends Place {
  readonly request: TokenedGrant;
}

/** Of account 0, as it is made. */
export const GROUPS = [3, 4];

/** As its process remembers it. */
function groupOf(model: Model, { place: [, budget], stale, pick }: Draw): number | null {
  const group = (budget === null ? null : model.budgets[budget]?.group) ?? null;
  if (budget === null || !stale) return group;
  return [...GROUPS, null].filter((other) => other !== group)[pick % 2] ?? null;
}

/** What a process, or a task, would ask for; a grow without anything to raise names no hold. */
export function rowOf(model: Model, real: Real, journal: ModelJournal | null, row: Draw): Row {
  const [account, budget] = row.place;
  const group = groupOf(model, row);
  const place = {
    account,
    budget,
    group,
    accountId: real.accounts[account] ?? newUuid(),
    budgetId: budget === null ? null : (real.budgets[budget] ?? null),
  };
  const amounts = {
    budgetId: place.budgetId,
    groupId: group === null ? null : (real.budgets[group] ?? null),
    fullNano: row.full === null ? null : nanos(row.full),
    minimumNano: nanos(row.minimum),
  };
  if (journal === null) {
    const task = { priceVersion: 1, reference: "model", detail: "{}" };
    return { ...place, request: ownGrant(place.accountId, row.slice, { ...amounts, task }) };
  }
  if (row.what === "own")
    return { ...place, request: ownGrant(place.accountId, row.slice, amounts) };
  if (row.what === "grow") {
    const own = pickOf(journal.requests, row.pick);
    if (own === undefined || own.hold.shared)
      return { ...place, request: growGrant(place.accountId, newUuid(), row.slice) };
    const { hold } = own;
    const budgetId = hold.budget === null ? null : (real.budgets[hold.budget] ?? null);
    const groupId = hold.group === null ? null : (real.budgets[hold.group] ?? null);
    const request = growGrant(own.paged.accountId, hold.holdId, row.slice, { budgetId, groupId });
    return { request, account: hold.account, budget: hold.budget, group: hold.group };
  }
  const mine = [...model.holds.values()].find(
    (hold) =>
      hold.shared &&
      hold.journal === journal &&
      hold.account === account &&
      hold.budget === budget &&
      hold.group === group &&
      (hold.live > 0 || hold.free > 0n),
  );
  const lease = { leaseId: mine?.holdId ?? newUuid(), wantNano: nanos(row.want) };
  // Most ask for little, or they would get holds of their own.
  const little = row.pick % 4 > 0 ? { fullNano: null, sliceNano: nanos(row.slice % 12n) } : {};
  const rest = { ...amounts, ...little, lease };
  return { ...place, request: leaseGrant(place.accountId, 0n, row.slice, rest) };
}

function newHold(row: Row, journal: ModelJournal | null, holdId: Uuid, shared: boolean): ModelHold {
  const { account, budget, group } = row;
  const nothing = { held: 0n, token: 0n, granted: 0n, free: 0n, live: 0 };
  return { holdId, account, budget, group, journal, shared, ...nothing };
}

/** Of a lease or of a hold of its own; the request that begins or is raised with it. */
export function granted(
  model: Model,
  journal: ModelJournal | null,
  row: Row,
  verdict: GrantVerdict,
): void {
  if (verdict.kind !== "leased" && verdict.kind !== "held") return;
  const { request } = row;
  const shared = verdict.kind === "leased";
  const nano = shared ? verdict.grantedNano : verdict.heldNano;
  const holdId = shared ? (request.lease?.leaseId ?? "") : request.holdId;
  const before = model.holds.get(holdId);
  const hold = before ?? newHold(row, journal, holdId, shared);
  grow(model, hold, nano);
  hold.token = request.token;
  hold.granted = nano;
  if (shared) {
    hold.free += nano;
    seen.add(before === undefined ? "leased" : "lease grown");
    return;
  }
  const requests = journal === null ? model.tasks : journal.requests;
  const raised = requests.find(({ paged }) => paged.requestId === holdId);
  seen.add(raised === undefined ? verdict.tier : "hold raised");
  const heldNano = nanos(hold.held);
  if (raised !== undefined) raised.paged = { ...raised.paged, heldNano };
  else
    requests.push({
      paged: { requestId: holdId, accountId: request.accountId, holdId, heldNano },
      hold,
      noted: false,
    });
}

/** No two name one hold. */
export function distinct(rows: readonly Row[]): Row[] {
  const named = new Map(
    rows.map((row) => [row.request.lease?.leaseId ?? row.request.holdId, row] as const),
  );
  return [...named.values()];
}
