/**
 * Ends holds, writes their receipts and ends their idempotency records in one statement: the rooms
 * meet here, and none knows another.
 */
import type { RecordEnd } from "../../idempotency/record.ts";
import { endParams } from "../../idempotency/records.store.ts";
import { assert } from "../../kernel/assert.ts";
import {
  lockOrder,
  readOneSettlement,
  readSettlement,
  settleOneParams,
  settleParams,
  type SettleColumns,
  type SettledOne,
  type Statements,
} from "../../ledger/holds.store.ts";
import type { SettleVerdict, Settlement } from "../../ledger/hold-verdicts.ts";
import type { ReceiptRow } from "../../usage/receipt-row.ts";
import { encodeReceipt, receiptOneParams, receiptParams } from "../../usage/receipts.store.ts";

export interface SettleRequest extends Settlement {
  /**
   * Written when this call ends the hold, with the ledger's own figure as the charge; null for
   * none.
   */
  readonly receipt: ReceiptRow | null;
  /** Ends with the hold; absent where the request had no idempotency key. */
  readonly record?: RecordEnd;
}

export interface Settled {
  readonly verdict: SettleVerdict;
  /** The money is settled, but the receipt could not be written and waits in usage.parked. */
  readonly parked: boolean;
}

const RECORD = `usage.record_many($4::uuid[], $5::uuid[], $6::uuid[], $7::text[], $8::text[], $9::text[], $10::text[], $11::timestamptz[],
    $12::text[], $13::text[], $14::bigint[], $15::bigint[], $16::bigint[], $17::text[], $18::bigint[], $19::bigint[], s.settled)`;

// A receipt is written where `settled` says what this call charged; elsewhere the hold had ended
// before, and so its receipt.
const SETTLE = `
  SELECT s.settled, s.released, s.earlier, nullif(${RECORD}, '{}') AS parked
  FROM ledger.settle_many($1::uuid[], $2::bigint[], $3::bigint[]) s`;

/**
 * The same for a batch with idempotency records: the answer of one that was charged counts from
 * here on.
 */
const SETTLE_WITH_RECORDS = `
  SELECT s.settled, s.released, s.earlier, nullif(${RECORD}, '{}') AS parked,
    idempotency.end_many($20::uuid[], $21::text[], $22::uuid[], $23::boolean[], s.settled, s.earlier)
  FROM ledger.settle_many($1::uuid[], $2::bigint[], $3::bigint[]) s`;

/**
 * Aligned with the requests. Repeating a request changes nothing and reports the first one's
 * charge.
 */
export async function settleWithReceipts(
  tx: Statements,
  requests: readonly SettleRequest[],
): Promise<Settled[]> {
  const one = paramsOfOne(requests);
  if (one !== null) return [await settleOne(tx, one)];
  const order = lockOrder(requests);
  const ordered = order.map((position) => requests[position] as SettleRequest);
  const receipts = ordered.map(({ receipt }) => (receipt === null ? null : encodeReceipt(receipt)));
  const params = [...settleParams(ordered), ...receiptParams(receipts)];
  const some = ordered.some(({ record }) => record !== undefined);
  if (some) params.push(...endParams(ordered.map(({ record }) => record ?? null)));
  const [row] = await tx.query<SettleColumns & { parked: number[] | null }>(
    some ? SETTLE_WITH_RECORDS : SETTLE,
    params,
  );
  assert(
    row !== undefined && row.settled.length === ordered.length,
    "settle_many answers every row",
  );
  const settled = Array.from<Settled>({ length: ordered.length });
  for (const [index, position] of order.entries()) {
    settled[position] = {
      verdict: readSettlement(row, index),
      parked: row.parked !== null && row.parked.includes(index + 1),
    };
  }
  return settled;
}

/** The same for one that comes alone. */
const SETTLE_ONE = `
  SELECT s.settled, s.released, s.earlier,
    usage.record_many($4::uuid, $5::uuid, $6::uuid, $7::text, $8::text, $9::text, $10::text, $11::timestamptz, $12::text,
      $13::bigint, $14::bigint, $15::bigint, $16::text, $17::bigint, $18::bigint, s.settled) AS parked
  FROM ledger.settle_many($1::uuid, $2::bigint, $3::bigint) s`;

/** Null where more is to be written than one hold's end and one receipt. */
function paramsOfOne(requests: readonly SettleRequest[]): (Buffer | string | null)[] | null {
  const [request] = requests;
  if (
    request === undefined ||
    requests.length > 1 ||
    request.record !== undefined ||
    request.receipt === null
  )
    return null;
  const receipt = receiptOneParams(encodeReceipt(request.receipt));
  return receipt === null ? null : [...settleOneParams(request), ...receipt];
}

async function settleOne(
  tx: Statements,
  params: readonly (Buffer | string | null)[],
): Promise<Settled> {
  const [row] = await tx.query<SettledOne & { readonly parked: boolean }>(SETTLE_ONE, params);
  assert(row !== undefined, "settle_many answers with one row");
  return { verdict: readOneSettlement(row), parked: row.parked };
}
