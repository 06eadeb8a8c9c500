/**
 * Holds money, raises holds and ends them, a batch at a time, by the functions of migrations 0014,
 * 0041 and, for one that comes alone, 0051.
 */
import { bigintArray, integerArray, textArray, uuidArray } from "../db/array-params.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement, type Given } from "../db/statement.ts";
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

/** Codes of ledger.hold_many. */
const TIERS: readonly HoldTier[] = ["full", "slice", "minimum"];
const INSUFFICIENT_BALANCE = 3;
const LIMIT_EXCEEDED = 4;
const BUDGET_CLOSED = 5;
const ACCOUNT_BLOCKED = 6;
const UNKNOWN_ACCOUNT = 7;
const ENDED = 8;

/** `codes`: one digit per row; null when every row got the most that it asked for. */
const HOLD_ROW = {
  codes: sql.nullable(sql.text),
  amounts: sql.nullable(sql.array(sql.nullable(sql.nano))),
  others: sql.nullable(sql.array(sql.nullable(sql.nano))),
};

const HOLD = statement({
  text: `SELECT array_to_string(codes, '') AS codes, amounts, others FROM ledger.hold_many(
  $1::uuid[], $2::bigint[], $3::bigint[], $4::uuid[], $5::uuid[], $6::bigint[], $7::bigint[],
  $8::uuid[], $9::int[], $10::int[], $11::uuid[], $12::bigint[], $13::bigint[], $14::bigint[], $15::int[], $16::text[], $17::text[], $18::boolean)`,
  parameters: [
    sql.array(sql.uuid),
    sql.array(sql.int8),
    sql.array(sql.int8),
    sql.array(sql.uuid),
    sql.array(sql.uuid),
    sql.array(sql.int8),
    sql.array(sql.int8),
    sql.array(sql.uuid),
    sql.array(sql.int4),
    sql.array(sql.int4),
    sql.array(sql.uuid),
    sql.array(sql.int8),
    sql.array(sql.int8),
    sql.array(sql.int8),
    sql.array(sql.int4),
    sql.array(sql.text),
    sql.array(sql.text),
    sql.bool,
  ],
  row: HOLD_ROW,
});

interface HoldColumns {
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
  q: Queryable,
  requests: readonly HoldRequest[],
  retry: boolean,
): Promise<(HoldVerdict | null)[]> {
  const [only] = requests;
  if (only !== undefined && requests.length === 1 && !retry) return [await holdOne(q, only)];
  const accounts = groupDemand(requests, (request) => request.accountId);
  const budgets = groupDemand(requests, (request) => request.budgetId);
  const [row] = await q.run(HOLD, [
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

const HOLD_ONE = statement({
  text: `SELECT array_to_string(codes, '') AS codes, amounts, others FROM ledger.hold_many(
  $1::uuid, $2::uuid, $3::uuid, $4::uuid, $5::bigint, $6::bigint, $7::bigint, $8::bigint, $9::int, $10::text, $11::text)`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.nullable(sql.uuid),
    sql.nullable(sql.uuid),
    sql.nullable(sql.int8),
    sql.int8,
    sql.int8,
    sql.nullable(sql.int8),
    sql.int4,
    sql.text,
    sql.text,
  ],
  row: HOLD_ROW,
});

/** As holdMany, for a request that comes alone and for the first time. */
async function holdOne(q: Queryable, request: HoldRequest): Promise<HoldVerdict | null> {
  const [row] = await q.run(HOLD_ONE, [
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

const EXTEND = statement({
  text: `SELECT array_to_string(granted::int[], '') AS granted, held
  FROM ledger.extend_many($1::uuid[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::boolean)`,
  parameters: [
    sql.array(sql.uuid),
    sql.array(sql.int8),
    sql.array(sql.int8),
    sql.array(sql.text),
    sql.array(sql.int8),
    sql.bool,
  ],
  row: { granted: sql.text, held: sql.array(sql.nullable(sql.nano)) },
});

/** Raises each hold by its amount or refuses; `retry` as for holdMany. */
export async function extendMany(
  q: Queryable,
  requests: readonly TokenedExtension[],
  retry: boolean,
): Promise<ExtendVerdict[]> {
  const [row] = await q.run(EXTEND, [
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

/** Of ledger.settle_many, for a statement that calls it. */
export const SETTLE_PARAMETERS = [
  sql.array(sql.uuid),
  sql.array(sql.int8),
  sql.array(sql.int8),
] as const;

/** The settlements are in lock order. */
export function settleParams(settlements: readonly Settlement[]): Given<typeof SETTLE_PARAMETERS> {
  return [
    uuidArray(settlements, (settlement) => settlement.holdId),
    bigintArray(settlements, (settlement) => settlement.chargeNano),
    bigintArray(settlements, (settlement) => settlement.lossNano),
  ];
}

/** Of ledger.settle_many for one, which answers with figures instead of arrays. */
export const SETTLE_ONE_PARAMETERS = [sql.uuid, sql.nullable(sql.int8), sql.int8] as const;

export function settleOneParams({
  holdId,
  chargeNano,
  lossNano,
}: Settlement): Given<typeof SETTLE_ONE_PARAMETERS> {
  return [uuidValue(holdId), bigintValue(chargeNano), bigintValue(lossNano)];
}

/** Results of ledger.settle_many, aligned with the settlements. `earlier`: null when nothing had ended before. */
export const SETTLE_ROW = {
  settled: sql.array(sql.nullable(sql.nano)),
  released: sql.array(sql.nullable(sql.nano)),
  earlier: sql.nullable(sql.array(sql.nullable(sql.nano))),
};

interface SettleColumns {
  readonly settled: readonly (Nano | null)[];
  readonly released: readonly (Nano | null)[];
  readonly earlier: readonly (Nano | null)[] | null;
}

/** Results of ledger.settle_many for one. */
export const SETTLE_ONE_ROW = {
  settled: sql.nullable(sql.nano),
  released: sql.nullable(sql.nano),
  earlier: sql.nullable(sql.nano),
};

const SETTLE = statement({
  text: "SELECT settled, released, earlier FROM ledger.settle_many($1::uuid[], $2::bigint[], $3::bigint[])",
  parameters: SETTLE_PARAMETERS,
  row: SETTLE_ROW,
});

const SETTLE_ONE = statement({
  text: "SELECT settled, released, earlier FROM ledger.settle_many($1::uuid, $2::bigint, $3::bigint)",
  parameters: SETTLE_ONE_PARAMETERS,
  row: SETTLE_ONE_ROW,
});

/** Ends each hold, once: repeating a settlement reports the first one's charge. */
export async function settleMany(
  q: Queryable,
  settlements: readonly Settlement[],
): Promise<SettleVerdict[]> {
  const [only] = settlements;
  if (only !== undefined && settlements.length === 1) {
    const [one] = await q.run(SETTLE_ONE, settleOneParams(only));
    assert(one !== undefined, "settle_many answers with one row");
    return [readOneSettlement(one)];
  }
  const order = lockOrder(settlements);
  const ordered = order.map((position) => settlements[position] as Settlement);
  const [row] = await q.run(SETTLE, settleParams(ordered));
  assert(
    row !== undefined && row.settled.length === ordered.length,
    "settle_many answers every row",
  );
  const verdicts = Array.from<SettleVerdict>({ length: ordered.length });
  for (const [index, position] of order.entries()) verdicts[position] = readSettlement(row, index);
  return verdicts;
}

interface SettledOne {
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
export async function holdIn(tx: Queryable, request: HoldRequest): Promise<HoldVerdict> {
  checkHold(request);
  const [verdict] = await holdMany(tx, [request], false);
  assert(verdict !== undefined && verdict !== null, "a first run decides");
  return verdict;
}

/** One extension inside the caller's transaction. */
export async function extendIn(tx: Queryable, request: ExtendRequest): Promise<ExtendVerdict> {
  checkExtension(request);
  const [verdict] = await extendMany(tx, [{ ...request, token: 0n }], false);
  assert(verdict !== undefined, "one request, one verdict");
  return verdict;
}

/** One settlement inside the caller's transaction. */
export async function settleIn(tx: Queryable, settlement: Settlement): Promise<SettleVerdict> {
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
