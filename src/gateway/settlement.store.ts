/** Ends holds, writes their receipts and ends their idempotency records in one statement: the rooms meet here, and none knows another. */
import { textArray } from "../db/array-literals.ts";
import type { RecordEnd } from "../idempotency/record.ts";
import { endParams } from "../idempotency/records.store.ts";
import { assert } from "../kernel/assert.ts";
import { readSettlements, settleParams, type SettleColumns, type Statements } from "../ledger/holds.store.ts";
import type { SettleVerdict, Settlement } from "../ledger/hold-verdicts.ts";
import type { ReceiptRow } from "../usage/receipt-row.ts";
import { encodeReceipt } from "../usage/receipts.store.ts";

export interface SettleRequest extends Settlement {
  /** Written when this call ends the hold, with the ledger's own figure as the charge; null for none. */
  readonly receipt: ReceiptRow | null;
  /** Ends with the hold; absent where the request had no idempotency key. */
  readonly record?: RecordEnd;
}

export interface Settled {
  readonly verdict: SettleVerdict;
  /** The money is settled, but the receipt could not be written and waits in usage.parked. */
  readonly parked: boolean;
}

// A receipt is written where `settled` says what this call charged; elsewhere the hold had ended before, and so its receipt.
const SETTLE = `
  SELECT s.settled, s.released, s.earlier, usage.record_many($4::text[], s.settled) AS parked
  FROM ledger.settle_many($1::uuid[], $2::bigint[], $3::bigint[]) s`;

/** The same for a batch with idempotency records: the answer of one that was charged counts from here on. */
const SETTLE_WITH_RECORDS = `
  SELECT s.settled, s.released, s.earlier, usage.record_many($4::text[], s.settled) AS parked,
    idempotency.end_many($5::uuid[], $6::text[], $7::uuid[], $8::boolean[], s.settled, s.earlier)
  FROM ledger.settle_many($1::uuid[], $2::bigint[], $3::bigint[]) s`;

/** Aligned with the requests. Repeating a request changes nothing and reports the first one's charge. */
export async function settleWithReceipts(tx: Statements, requests: readonly SettleRequest[]): Promise<Settled[]> {
  const receipts = requests.map((request) => (request.receipt === null ? null : encodeReceipt(request.receipt)));
  const params = [...settleParams(requests), textArray(receipts)];
  const records = requests.map((request) => request.record ?? null);
  const some = records.some((record) => record !== null);
  const [row] = await tx.query<SettleColumns & { parked: number[] }>(
    some ? SETTLE_WITH_RECORDS : SETTLE,
    some ? [...params, ...endParams(records)] : params,
  );
  assert(row !== undefined, "settle_many answers with one row");
  return readSettlements(requests, row).map((verdict, index) => ({ verdict, parked: row.parked.includes(index + 1) }));
}
