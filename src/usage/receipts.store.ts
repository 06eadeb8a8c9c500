/**
 * Receipts: written with the settlement, read one by one or by page; one that cannot be written is
 * parked, never lost and never in the way.
 */
import { ANSWERED_ENDPOINTS } from "../contract/enums/chat-endpoint.ts";
import { asInteger } from "../db/array-params.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import type { ReceiptRow, StoredReceipt } from "./receipt-row.ts";

/** A receipt as a page takes it: its columns, or the reason why there can be none. */
export interface EncodedReceipt {
  readonly row: ReceiptRow | null;
  /** The detail's JSON; with a fault, what can be said of the receipt. */
  readonly detail: string;
  readonly fault: string | null;
}

/** Never throws: what cannot be written becomes something that will be parked, with the reason. */
export function encodeReceipt(requestId: Uuid, row: ReceiptRow): EncodedReceipt {
  try {
    const { modelRequested, model, state, startedAt } = row;
    if (
      typeof modelRequested !== "string" ||
      typeof model !== "string" ||
      typeof state !== "string"
    )
      throw new TypeError("the model or the state is missing");
    // NaN is not; nor is what no timestamp of the database is as old as.
    if (!(startedAt.getTime() >= 0)) throw new RangeError("the time of the start is not valid");
    return { row, detail: wellFormed(JSON.stringify(row.detail)), fault: null };
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    return { row: null, detail: `unwritable receipt of ${requestId}: ${fault}`, fault };
  }
}

/**
 * PostgreSQL refuses to read NUL and lone surrogates in JSON, which strings of callers and
 * upstreams may carry: they become U+FFFD.
 */
function wellFormed(json: string): string {
  if (!json.includes("\\u")) return json;
  // Groups of four-digit escapes; an escaped backslash before `u` is not one of them.
  return json.replaceAll(/\\\\|\\u(?:0000|d[89a-f][0-9a-f]{2})/gi, (found) =>
    found === "\\\\" ? found : "\\ufffd",
  );
}

type OfReceipt<Value> = (receipt: EncodedReceipt | null) => Value | null;

/** What a page says of receipts in words, in the order of `ledger.page_columns`. */
export const RECEIPT_WORDS: readonly OfReceipt<string>[] = [
  (receipt) => receipt?.row?.endpoint ?? null,
  (receipt) => receipt?.row?.modelRequested ?? null,
  (receipt) => receipt?.row?.model ?? null,
  (receipt) => receipt?.row?.state ?? null,
  (receipt) => receipt?.row?.figures.upstream ?? null,
];

/** And in numbers. */
export const RECEIPT_NUMBERS: readonly OfReceipt<bigint | number>[] = [
  (receipt) => receipt?.row?.figures.inputTokens ?? null,
  (receipt) => receipt?.row?.figures.cachedTokens ?? null,
  (receipt) => receipt?.row?.figures.outputTokens ?? null,
  (receipt) => receipt?.row?.figures.costNano ?? null,
  (receipt) => milliseconds(receipt?.row?.durationMs),
  (receipt) => milliseconds(receipt?.row?.firstMs),
  (receipt) => receipt?.row?.startedAt.getTime() ?? null,
];

const MOST_MS = 2_147_483_647;

function milliseconds(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : asInteger(Math.min(Math.round(ms), MOST_MS));
}

const PARK_RECEIPT = statement({
  text: "INSERT INTO usage.parked (charged_nano, reason, receipt) VALUES ($1, $2, $3)",
  parameters: [sql.int8, sql.text, sql.text],
});

/** Keeps what could not become a receipt, with the reason, for the operator to look at. */
export async function parkReceipt(
  tx: Queryable,
  parked: { chargedNano: Nano; reason: string; receipt: string },
): Promise<void> {
  const { chargedNano, reason, receipt } = parked;
  await tx.run(PARK_RECEIPT, [chargedNano, withoutNul(reason), withoutNul(receipt)]);
}

const COUNT_PARKED = statement({
  text: "SELECT count(*) AS count FROM usage.parked",
  row: { count: sql.int8 },
});

/** Receipts that wait in usage.parked, for `/metrics` and the operator. */
export async function countParked(q: Queryable): Promise<number> {
  const [row] = await q.run(COUNT_PARKED, []);
  return Number(row?.count ?? 0n);
}

function withoutNul(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}

/** What `StoredReceipt` is read from, of `usage.requests`. */
export const RECEIPT_COLUMNS = `request_id AS "requestId", account_id AS "accountId", key_id AS "keyId", endpoint, model_requested AS "modelRequested", model, state,
  started_at AS "startedAt", recorded_at AS "recordedAt", charged_nano AS "chargedNano", held_nano AS "heldNano", price_version AS "priceVersion",
  upstream, cost_nano AS "costNano", duration_ms AS "durationMs", first_ms AS "firstMs", detail`;

/** Of `RECEIPT_COLUMNS`. */
export const RECEIPT_ROW = {
  requestId: sql.present(sql.uuid),
  accountId: sql.present(sql.uuid),
  keyId: sql.nullable(sql.uuid),
  endpoint: sql.present(sql.oneOf(ANSWERED_ENDPOINTS)),
  modelRequested: sql.present(sql.text),
  model: sql.present(sql.text),
  state: sql.present(sql.text),
  startedAt: sql.present(sql.timestamptz),
  recordedAt: sql.present(sql.timestamptz),
  chargedNano: sql.present(sql.nano),
  heldNano: sql.nullable(sql.nano),
  priceVersion: sql.nullable(sql.int4),
  upstream: sql.nullable(sql.text),
  costNano: sql.nullable(sql.nano),
  durationMs: sql.nullable(sql.int4),
  firstMs: sql.nullable(sql.int4),
  detail: sql.present(sql.json.as<StoredReceipt["detail"]>()),
};

const FIND_ANY_REQUEST = statement({
  text: `SELECT ${RECEIPT_COLUMNS} FROM usage.requests WHERE request_id = $1`,
  parameters: [sql.uuid],
  row: RECEIPT_ROW,
});

/** Of whatever account; null: it has not ended, or its page is not posted yet. */
export async function findAnyRequest(q: Queryable, requestId: Uuid): Promise<StoredReceipt | null> {
  const [row] = await q.run(FIND_ANY_REQUEST, [requestId]);
  return row ?? null;
}

const FIND_REQUEST = statement({
  text: `SELECT ${RECEIPT_COLUMNS} FROM usage.requests WHERE account_id = $1 AND request_id = $2`,
  parameters: [sql.uuid, sql.uuid],
  row: RECEIPT_ROW,
});

/** The same of one account, another's are not found. */
export async function findRequest(
  q: Queryable,
  accountId: Uuid,
  requestId: Uuid,
): Promise<StoredReceipt | null> {
  const [row] = await q.run(FIND_REQUEST, [accountId, requestId]);
  return row ?? null;
}

const FIND_REQUESTS = statement({
  text: `SELECT ${RECEIPT_COLUMNS} FROM usage.requests WHERE account_id = $1 AND request_id = ANY ($2::uuid[])`,
  parameters: [sql.uuid, sql.array(sql.uuid)],
  row: RECEIPT_ROW,
});

/** Several of one account, in any order; those that it does not have are left out. */
export async function findRequests(
  q: Queryable,
  accountId: Uuid,
  requestIds: readonly Uuid[],
): Promise<StoredReceipt[]> {
  return requestIds.length === 0 ? [] : q.run(FIND_REQUESTS, [accountId, requestIds]);
}
