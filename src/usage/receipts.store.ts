/** Receipts: written with the settlement, read one by one or by page; one that cannot be written is parked, never lost and never in the way. */
import { integerArray, textArray } from "../db/array-literals.ts";
import type { Queryable } from "../db/database.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import type { ReceiptRow, StoredReceipt } from "./receipt-row.ts";

/** A receipt as usage.record_many takes it. Never throws: what cannot become JSON becomes a text that will be parked, with the reason in it. */
export function encodeReceipt(row: ReceiptRow): string {
  const { requestId, accountId, keyId, endpoint, modelRequested, model, state, detail } = row;
  try {
    const startedAt = row.startedAt.toISOString();
    return wellFormed(JSON.stringify({ requestId, accountId, keyId, endpoint, modelRequested, model, state, startedAt, detail }));
  } catch (error) {
    return `unwritable receipt of ${requestId}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** jsonb refuses NUL and lone surrogates, which strings of callers and upstreams may carry: they become U+FFFD. */
function wellFormed(json: string): string {
  if (!json.includes("\\u")) return json;
  // Groups of four-digit escapes; an escaped backslash before `u` is not one of them.
  return json.replaceAll(/\\\\|\\u(?:0000|d[89a-f][0-9a-f]{2})/gi, (found) => (found === "\\\\" ? found : "\\ufffd"));
}

const RECORD = "SELECT usage.record_many($1::text[], $2::bigint[]) AS parked";

/**
 * Writes receipts; a request that has one already keeps it. Returns the positions of those that were parked in usage.parked instead,
 * for the caller to count and to alert.
 */
export async function recordMany(tx: Pick<Queryable, "query">, rows: readonly ReceiptRow[]): Promise<number[]> {
  if (rows.length === 0) return [];
  const receipts = textArray(rows.map(encodeReceipt));
  const [result] = await tx.query<{ parked: number[] }>(RECORD, [receipts, integerArray(rows.map((row) => row.chargedNano))]);
  return (result?.parked ?? []).map((position) => position - 1);
}

/** Keeps what could not become a receipt, with the reason, for somebody to look at. */
export async function parkReceipt(
  tx: Pick<Queryable, "query">,
  parked: { chargedNano: Nano; reason: string; receipt: string },
): Promise<void> {
  const { chargedNano, reason, receipt } = parked;
  await tx.query("INSERT INTO usage.parked (charged_nano, reason, receipt) VALUES ($1, $2, $3)", [
    chargedNano,
    withoutNul(reason),
    withoutNul(receipt),
  ]);
}

/** Receipts that wait in usage.parked, for `/metrics` and the operator. */
export async function countParked(q: Pick<Queryable, "query">): Promise<number> {
  const [row] = await q.query<{ count: bigint }>("SELECT count(*) AS count FROM usage.parked");
  return Number(row?.count ?? 0n);
}

function withoutNul(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}

const COLUMNS = `request_id AS "requestId", account_id AS "accountId", key_id AS "keyId", endpoint, model_requested AS "modelRequested", model, state,
  started_at AS "startedAt", recorded_at AS "recordedAt", charged_nano AS "chargedNano", detail`;

/** One receipt, or null. Whose it is is the caller's business: compare accountId. */
export async function findRequest(q: Pick<Queryable, "query">, requestId: Uuid): Promise<StoredReceipt | null> {
  const [row] = await q.query<StoredReceipt>(`SELECT ${COLUMNS} FROM usage.requests WHERE request_id = $1`, [requestId]);
  return row ?? null;
}

export interface ReceiptSearch {
  readonly accountId: Uuid;
  readonly keyId?: Uuid | null;
  readonly model?: string | null;
  readonly state?: string | null;
  /** The last request id of the page before; null for the first page. */
  readonly cursor: Uuid | null;
  readonly limit: number;
}

export interface ReceiptPage {
  readonly receipts: readonly StoredReceipt[];
  /** Null on the last page. */
  readonly nextCursor: Uuid | null;
}

const LIST = `
  SELECT ${COLUMNS} FROM usage.requests
  WHERE account_id = $1 AND ($2::uuid IS NULL OR request_id < $2) AND ($3::uuid IS NULL OR key_id = $3)
    AND ($4::text IS NULL OR model = $4) AND ($5::text IS NULL OR state = $5)
  ORDER BY request_id DESC LIMIT $6`;

/** An account's receipts, newest request first. */
export async function listRequests(q: Pick<Queryable, "query">, search: ReceiptSearch): Promise<ReceiptPage> {
  const { accountId, cursor, keyId = null, model = null, state = null, limit } = search;
  const rows = await q.query<StoredReceipt>(LIST, [accountId, cursor, keyId, model, state, limit + 1]);
  const receipts = rows.slice(0, limit);
  return { receipts, nextCursor: rows.length > limit ? (receipts.at(-1)?.requestId ?? null) : null };
}
