/**
 * Holds money, raises holds and ends them, a batch at a time, by the functions of migrations 0014,
 * 0041 and, for one that comes alone, 0051.
 */
import { bigintArray, integerArray, textArray, uuidArray } from "../db/array-params.ts";
import { bigintValue, textValue, uuidValue } from "../db/value-params.ts";
import { assert } from "../kernel/assert.ts";
import type { Nano } from "../kernel/money.ts";
import { ZERO_NANO } from "../kernel/money.ts";
import { groupDemand, roomFor } from "./group-demand.ts";
import type {
  ExtendRequest,
  ExtendVerdict,
  HoldRequest,
  HoldTier,
  HoldVerdict,
  Settlement,
  SettleVerdict,
} from "./hold-verdicts.ts";

/** What these functions need of a transaction or of a pipelined one. */
export interface Statements {
  query<R>(sql: string, params?: readonly unknown[]): Promise<R[]>;
}

/** Codes of ledger.hold_many. */
const TIERS: readonly HoldTier[] = ["full", "slice", "minimum"];
const INSUFFICIENT_BALANCE = 3;
const LIMIT_EXCEEDED = 4;
const BUDGET_CLOSED = 5;
const ACCOUNT_BLOCKED = 6;
const UNKNOWN_ACCOUNT = 7;
const ENDED = 8;

const HOLD = `SELECT array_to_string(codes, '') AS codes, amounts, others FROM ledger.hold_many(
  $1::uuid[], $2::bigint[], $3::bigint[], $4::uuid[], $5::uuid[], $6::bigint[], $7::bigint[],
  $8::uuid[], $9::int[], $10::int[], $11::uuid[], $12::bigint[], $13::bigint[], $14::bigint[], $15::int[], $16::text[], $17::text[], $18::boolean)`;

interface HoldColumns {
  /** One digit per row; null when every row got the most that it asked for. */
  readonly codes: string | null;
  readonly amounts: readonly (Nano | null)[] | null;
  readonly others: readonly (Nano | null)[] | null;
}

/**
 * Decides every request in order, each exactly: later ones see what earlier ones took.
 * `retry`: an earlier run of these requests may have been committed; what exists is reported.
 * A request whose hold has already ended meanwhile gets the verdict null.
 */
export async function holdMany(
  q: Statements,
  requests: readonly HoldRequest[],
  retry: boolean,
): Promise<(HoldVerdict | null)[]> {
  const [only] = requests;
  if (only !== undefined && requests.length === 1 && !retry) return [await holdOne(q, only)];
  const accounts = groupDemand(requests, (request) => request.accountId);
  const budgets = groupDemand(requests, (request) => request.budgetId);
  const [row] = await q.query<HoldColumns>(HOLD, [
    uuidArray(accounts.demands, (demand) => demand.id),
    bigintArray(accounts.demands, (demand) => demand.sumNano),
    bigintArray(accounts.demands, (demand) => demand.roomNano),
    uuidArray(budgets.demands, (demand) => demand.id),
    uuidArray(budgets.demands, (demand) => demand.accountId),
    bigintArray(budgets.demands, (demand) => demand.sumNano),
    bigintArray(budgets.demands, (demand) => demand.roomNano),
    uuidArray(requests, (request) => request.holdId),
    integerArray(accounts.positions, (position) => position),
    integerArray(budgets.positions, (position) => position),
    uuidArray(requests, (request) => request.ownerId),
    bigintArray(requests, (request) => request.fullNano),
    bigintArray(requests, (request) => request.sliceNano),
    bigintArray(requests, (request) => request.minimumNano),
    integerArray(requests, (request) => request.priceVersion),
    textArray(requests, (request) => request.reference),
    textArray(requests, (request) => request.detail),
    retry,
  ]);
  assert(row !== undefined, "hold_many answers with one row");
  return requests.map((request, index) => readHold(request, row, index));
}

const HOLD_ONE = `SELECT array_to_string(codes, '') AS codes, amounts, others FROM ledger.hold_many(
  $1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::bigint, $6::bigint, $7::bigint, $8::bigint, $9::int, $10::text, $11::text)`;

/** As holdMany, for a request that comes alone and for the first time. */
async function holdOne(q: Statements, request: HoldRequest): Promise<HoldVerdict | null> {
  const [row] = await q.query<HoldColumns>(HOLD_ONE, [
    uuidValue(request.holdId),
    uuidValue(request.accountId),
    uuidValue(request.budgetId),
    uuidValue(request.ownerId),
    bigintValue(request.fullNano),
    bigintValue(request.sliceNano),
    bigintValue(request.minimumNano),
    bigintValue(roomFor(request)),
    request.priceVersion,
    textValue(request.reference),
    textValue(request.detail),
  ]);
  assert(row !== undefined, "hold_many answers with one row");
  return readHold(request, row, 0);
}

function readHold(request: HoldRequest, columns: HoldColumns, index: number): HoldVerdict | null {
  if (columns.codes === null) {
    const { fullNano, sliceNano } = request;
    return {
      kind: "held",
      heldNano: fullNano ?? sliceNano,
      tier: fullNano === null ? "slice" : "full",
    };
  }
  assert(index < columns.codes.length, "hold_many answers every row");
  const code = Number(columns.codes.charAt(index)); // not money: one digit that names the verdict
  const amountNano = columns.amounts?.[index] ?? ZERO_NANO;
  const heldNano = columns.others?.[index] ?? ZERO_NANO;
  const tier = TIERS[code];
  if (tier !== undefined) return { kind: "held", heldNano: amountNano, tier };
  switch (code) {
    case INSUFFICIENT_BALANCE:
      return { kind: "insufficient-balance", availableNano: amountNano, heldNano };
    case LIMIT_EXCEEDED:
      return { kind: "limit-exceeded", availableNano: amountNano, heldNano };
    case BUDGET_CLOSED:
      return { kind: "budget-closed" };
    case ACCOUNT_BLOCKED:
      return { kind: "account-blocked" };
    case UNKNOWN_ACCOUNT:
      return { kind: "unknown-account" };
    default:
      assert(code === ENDED, "hold_many has no other codes");
      return null;
  }
}

/** An extension and the token that tells a repetition of it from a new one. */
export interface TokenedExtension extends ExtendRequest {
  readonly token: bigint;
}

const EXTEND = `SELECT array_to_string(granted::int[], '') AS granted, held
  FROM ledger.extend_many($1::uuid[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::boolean)`;

/** Raises each hold by its amount or refuses; `retry` as for holdMany. */
export async function extendMany(
  q: Statements,
  requests: readonly TokenedExtension[],
  retry: boolean,
): Promise<ExtendVerdict[]> {
  const [row] = await q.query<{ granted: string; held: (Nano | null)[] }>(EXTEND, [
    uuidArray(requests, (request) => request.holdId),
    bigintArray(requests, (request) => request.addNano),
    bigintArray(requests, (request) => request.recordedNano),
    textArray(requests, (request) => request.detail),
    bigintArray(requests, (request) => request.token),
    retry,
  ]);
  assert(
    row !== undefined && row.granted.length === requests.length,
    "extend_many answers every row",
  );
  return requests.map((_, index): ExtendVerdict => {
    const heldNano = row.held[index] ?? null;
    if (heldNano === null) return { kind: "gone" };
    return { kind: row.granted.charAt(index) === "1" ? "extended" : "refused", heldNano };
  });
}

/**
 * Positions of the settlements by ascending hold id, as ledger.settle_many takes them; of equal ids
 * the first comes first.
 */
export function lockOrder(settlements: readonly Settlement[]): number[] {
  const order = Array.from(settlements, (_, index) => index);
  return order.sort((a, b) => {
    const [one, other] = [settlements[a]?.holdId ?? "", settlements[b]?.holdId ?? ""];
    return one < other ? -1 : one > other ? 1 : a - b;
  });
}

/**
 * Parameters of ledger.settle_many, for a statement that calls it; the settlements are in lock
 * order.
 */
export function settleParams(settlements: readonly Settlement[]): Buffer[] {
  return [
    uuidArray(settlements, (settlement) => settlement.holdId),
    bigintArray(settlements, (settlement) => settlement.chargeNano),
    bigintArray(settlements, (settlement) => settlement.lossNano),
  ];
}

/** Parameters of ledger.settle_many for one, which answers with figures instead of arrays. */
export function settleOneParams({ holdId, chargeNano, lossNano }: Settlement): (Buffer | null)[] {
  return [uuidValue(holdId), bigintValue(chargeNano), bigintValue(lossNano)];
}

/** Results of ledger.settle_many, aligned with the settlements. */
export interface SettleColumns {
  readonly settled: readonly (Nano | null)[];
  readonly released: readonly (Nano | null)[];
  /** Absent when nothing had ended before. */
  readonly earlier: readonly (Nano | null)[] | null;
}

const SETTLE =
  "SELECT settled, released, earlier FROM ledger.settle_many($1::uuid[], $2::bigint[], $3::bigint[])";

const SETTLE_ONE =
  "SELECT settled, released, earlier FROM ledger.settle_many($1::uuid, $2::bigint, $3::bigint)";

/** Ends each hold, once: repeating a settlement reports the first one's charge. */
export async function settleMany(
  q: Statements,
  settlements: readonly Settlement[],
): Promise<SettleVerdict[]> {
  const [only] = settlements;
  if (only !== undefined && settlements.length === 1) {
    const [one] = await q.query<SettledOne>(SETTLE_ONE, settleOneParams(only));
    assert(one !== undefined, "settle_many answers with one row");
    return [readOneSettlement(one)];
  }
  const order = lockOrder(settlements);
  const ordered = order.map((position) => settlements[position] as Settlement);
  const [row] = await q.query<SettleColumns>(SETTLE, settleParams(ordered));
  assert(
    row !== undefined && row.settled.length === ordered.length,
    "settle_many answers every row",
  );
  const verdicts = Array.from<SettleVerdict>({ length: ordered.length });
  for (const [index, position] of order.entries()) verdicts[position] = readSettlement(row, index);
  return verdicts;
}

/** Results of ledger.settle_many for one. */
export interface SettledOne {
  readonly settled: Nano | null;
  readonly released: Nano | null;
  readonly earlier: Nano | null;
}

export function readOneSettlement({ settled, released, earlier }: SettledOne): SettleVerdict {
  return readSettlement({ settled: [settled], released: [released], earlier: [earlier] }, 0);
}

export function readSettlement(columns: SettleColumns, index: number): SettleVerdict {
  const chargedNano = columns.settled[index] ?? null;
  const releasedNano = columns.released[index] ?? null;
  if (chargedNano !== null && releasedNano !== null)
    return { kind: "settled", chargedNano, releasedNano };
  const earlierNano = columns.earlier?.[index] ?? null;
  return earlierNano === null
    ? { kind: "unknown-hold" }
    : { kind: "already-settled", chargedNano: earlierNano };
}

/** One hold inside the caller's transaction. */
export async function holdIn(tx: Statements, request: HoldRequest): Promise<HoldVerdict> {
  checkHold(request);
  const [verdict] = await holdMany(tx, [request], false);
  assert(verdict !== undefined && verdict !== null, "a first run decides");
  return verdict;
}

/** One extension inside the caller's transaction. */
export async function extendIn(tx: Statements, request: ExtendRequest): Promise<ExtendVerdict> {
  checkExtension(request);
  const [verdict] = await extendMany(tx, [{ ...request, token: 0n }], false);
  assert(verdict !== undefined, "one request, one verdict");
  return verdict;
}

/** One settlement inside the caller's transaction. */
export async function settleIn(tx: Statements, settlement: Settlement): Promise<SettleVerdict> {
  checkSettlement(settlement);
  const [verdict] = await settleMany(tx, [settlement]);
  assert(verdict !== undefined, "one settlement, one verdict");
  return verdict;
}

/**
 * Throws on a request that could spoil the batch it travels in; ids are checked where they are
 * written down.
 */
export function checkHold(request: HoldRequest): void {
  assert(
    (request.fullNano ?? 0n) >= 0n && request.sliceNano >= 0n && request.minimumNano >= 0n,
    "held amounts are not negative",
  );
}

export function checkExtension(request: ExtendRequest): void {
  assert(
    request.addNano >= 0n && request.recordedNano >= 0n,
    "extensions and recorded amounts are not negative",
  );
}

export function checkSettlement(settlement: Settlement): void {
  assert(
    (settlement.chargeNano ?? 0n) >= 0n && settlement.lossNano >= 0n,
    "charges and losses are not negative",
  );
}
