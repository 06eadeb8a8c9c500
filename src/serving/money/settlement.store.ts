/**
 * Ends holds, writes their receipts and ends their idempotency records in one statement: the rooms
 * meet here, and none knows another.
 */
import type { RecordEnd } from "../../idempotency/record.ts";
import type { Queryable } from "../../db/database.ts";
import { END_PARAMETERS, endParams } from "../../idempotency/records.store.ts";
import { sql } from "../../db/sql-type.ts";
import { statement, type Given } from "../../db/statement.ts";
import { assert } from "../../kernel/assert.ts";
import {
  lockOrder,
  readOneSettlement,
  readSettlement,
  settleOneParams,
  settleParams,
  SETTLE_ONE_PARAMETERS,
  SETTLE_ONE_ROW,
  SETTLE_PARAMETERS,
  SETTLE_ROW,
} from "../../ledger/holds.store.ts";
import type { SettleVerdict, Settlement } from "../../ledger/hold-verdicts.ts";
import type { ReceiptRow } from "../../usage/receipt-row.ts";
import {
  encodeReceipt,
  RECEIPT_ONE_PARAMETERS,
  RECEIPT_PARAMETERS,
  receiptOneParams,
  receiptParams,
} from "../../usage/receipts.store.ts";

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

/** `parked`: positions, from 1. */
const SETTLED_ROW = { ...SETTLE_ROW, parked: sql.nullable(sql.array(sql.int4)) };

// A receipt is written where `settled` says what this call charged; elsewhere the hold had ended
// before, and so its receipt.
const SETTLE = statement({
  text: `
  SELECT s.settled, s.released, s.earlier, nullif(${RECORD}, '{}') AS parked
  FROM ledger.settle_many($1::uuid[], $2::bigint[], $3::bigint[]) s`,
  parameters: [...SETTLE_PARAMETERS, ...RECEIPT_PARAMETERS],
  row: SETTLED_ROW,
});

/**
 * The same for a batch with idempotency records: the answer of one that was charged counts from
 * here on.
 */
const SETTLE_WITH_RECORDS = statement({
  text: `
  SELECT s.settled, s.released, s.earlier, nullif(${RECORD}, '{}') AS parked,
    idempotency.end_many($20::uuid[], $21::text[], $22::uuid[], $23::boolean[], s.settled, s.earlier)
  FROM ledger.settle_many($1::uuid[], $2::bigint[], $3::bigint[]) s`,
  parameters: [...SETTLE_PARAMETERS, ...RECEIPT_PARAMETERS, ...END_PARAMETERS],
  row: { ...SETTLED_ROW, end_many: sql.void },
});

/**
 * Aligned with the requests. Repeating a request changes nothing and reports the first one's
 * charge.
 */
export async function settleWithReceipts(
  tx: Queryable,
  requests: readonly SettleRequest[],
): Promise<Settled[]> {
  const one = paramsOfOne(requests);
  if (one !== null) return [await settleOne(tx, one)];
  const order = lockOrder(requests);
  const ordered = order.map((position) => requests[position] as SettleRequest);
  const receipts = ordered.map(({ receipt }) => (receipt === null ? null : encodeReceipt(receipt)));
  const params = [...settleParams(ordered), ...receiptParams(receipts)] as const;
  const [row] = ordered.some(({ record }) => record !== undefined)
    ? await tx.run(SETTLE_WITH_RECORDS, [
        ...params,
        ...endParams(ordered.map(({ record }) => record ?? null)),
      ])
    : await tx.run(SETTLE, params);
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
const SETTLE_ONE = statement({
  text: `
  SELECT s.settled, s.released, s.earlier,
    usage.record_many($4::uuid, $5::uuid, $6::uuid, $7::text, $8::text, $9::text, $10::text, $11::timestamptz, $12::text,
      $13::bigint, $14::bigint, $15::bigint, $16::text, $17::bigint, $18::bigint, s.settled) AS parked
  FROM ledger.settle_many($1::uuid, $2::bigint, $3::bigint) s`,
  parameters: [...SETTLE_ONE_PARAMETERS, ...RECEIPT_ONE_PARAMETERS],
  row: { ...SETTLE_ONE_ROW, parked: sql.bool },
});

type OneSettled = Given<
  readonly [...typeof SETTLE_ONE_PARAMETERS, ...typeof RECEIPT_ONE_PARAMETERS]
>;

/** Null where more is to be written than one hold's end and one receipt. */
function paramsOfOne(requests: readonly SettleRequest[]): OneSettled | null {
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

async function settleOne(tx: Queryable, params: OneSettled): Promise<Settled> {
  const [row] = await tx.run(SETTLE_ONE, params);
  assert(row !== undefined, "settle_many answers with one row");
  return { verdict: readOneSettlement(row), parked: row.parked };
}
