/**
 * Receipts: written with the settlement, read one by one or by page; one that cannot be written is
 * parked, never lost and never in the way.
 */
import { CHAT_ENDPOINTS } from "../contract/enums/chat-endpoint.ts";
import { bigintArray, textArray, timestampArray, uuidArray } from "../db/array-params.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement, type Given } from "../db/statement.ts";
import { isUuid, type Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import type { ReceiptRow, StoredReceipt } from "./receipt-row.ts";

/** A receipt as usage.record_many takes it: its columns, or the reason why there can be none. */
export interface EncodedReceipt {
  readonly row: ReceiptRow | null;
  /** The detail's JSON; with a fault, what can be said of the receipt. */
  readonly detail: string;
  readonly fault: string | null;
}

/** Never throws: what cannot be written becomes something that will be parked, with the reason. */
export function encodeReceipt(row: ReceiptRow): EncodedReceipt {
  try {
    const { requestId, accountId, keyId, startedAt } = row;
    for (const id of [requestId, accountId, keyId])
      if (id !== null && !isUuid(id)) throw new TypeError(`${JSON.stringify(id)} is not a uuid`);
    if (Number.isNaN(startedAt.getTime()))
      throw new RangeError("the time of the start is not valid");
    return { row, detail: wellFormed(JSON.stringify(row.detail)), fault: null };
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    return { row: null, detail: `unwritable receipt of ${row.requestId}: ${fault}`, fault };
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

/** What receipts are written from, beside their requests' and accounts' ids and charges. */
export const RECEIPT_PARAMETERS = [
  sql.array(sql.uuid),
  sql.array(sql.text),
  sql.array(sql.text),
  sql.array(sql.text),
  sql.array(sql.text),
  sql.array(sql.timestamptz),
  sql.array(sql.text),
  sql.nullable(sql.array(sql.text)),
  sql.array(sql.int8),
  sql.array(sql.int8),
  sql.array(sql.int8),
  sql.array(sql.text),
  sql.nullable(sql.array(sql.int8)),
  sql.nullable(sql.array(sql.int8)),
] as const;

/** Null where there is no receipt. */
export function receiptParams(
  receipts: readonly (EncodedReceipt | null)[],
): Given<typeof RECEIPT_PARAMETERS> {
  const faulty = receipts.some((receipt) => receipt !== null && receipt.fault !== null);
  return [
    uuidArray(receipts, (receipt) => receipt?.row?.keyId ?? null),
    textArray(receipts, (receipt) => receipt?.row?.endpoint ?? null),
    textArray(receipts, (receipt) => receipt?.row?.modelRequested ?? null),
    textArray(receipts, (receipt) => receipt?.row?.model ?? null),
    textArray(receipts, (receipt) => receipt?.row?.state ?? null),
    timestampArray(receipts, (receipt) => receipt?.row?.startedAt ?? null),
    textArray(receipts, (receipt) => receipt?.detail ?? null),
    faulty ? textArray(receipts, (receipt) => receipt?.fault ?? null) : null,
    bigintArray(receipts, (receipt) => receipt?.row?.figures.inputTokens ?? null),
    bigintArray(receipts, (receipt) => receipt?.row?.figures.cachedTokens ?? null),
    bigintArray(receipts, (receipt) => receipt?.row?.figures.outputTokens ?? null),
    textArray(receipts, (receipt) => receipt?.row?.figures.upstream ?? null),
    receipts.some((receipt) => (receipt?.row?.figures.costNano ?? null) !== null)
      ? bigintArray(receipts, (receipt) => receipt?.row?.figures.costNano ?? null)
      : null,
    receipts.some((receipt) => (receipt?.row?.figures.lossNano ?? 0n) > 0n)
      ? bigintArray(receipts, (receipt) => receipt?.row?.figures.lossNano ?? null)
      : null,
  ];
}

const RECORD = statement({
  text: `SELECT usage.record_many($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[],
  $9::text[], $10::text[], $11::bigint[], $12::bigint[], $13::bigint[], $14::text[], $15::bigint[], $16::bigint[], $17::bigint[]) AS parked`,
  parameters: [
    sql.array(sql.uuid),
    sql.array(sql.uuid),
    ...RECEIPT_PARAMETERS,
    sql.array(sql.int8),
  ],
  row: { parked: sql.array(sql.int4) },
});

/**
 * Writes receipts; a request that has one already keeps it. Returns the positions of those that
 * were parked in usage.parked instead; the operator hears of those (parked.store.ts).
 */
export async function recordMany(tx: Queryable, rows: readonly ReceiptRow[]): Promise<number[]> {
  if (rows.length === 0) return [];
  const receipts = rows.map(encodeReceipt);
  const [result] = await tx.run(RECORD, [
    uuidArray(receipts, ({ row }) => row?.requestId ?? null),
    uuidArray(receipts, ({ row }) => row?.accountId ?? null),
    ...receiptParams(receipts),
    bigintArray(rows, (row) => row.chargedNano),
  ]);
  return (result?.parked ?? []).map((position) => position - 1);
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
  started_at AS "startedAt", recorded_at AS "recordedAt", charged_nano AS "chargedNano", detail`;

/** Of `RECEIPT_COLUMNS`. */
export const RECEIPT_ROW = {
  requestId: sql.uuid,
  accountId: sql.uuid,
  keyId: sql.nullable(sql.uuid),
  endpoint: sql.oneOf(CHAT_ENDPOINTS),
  modelRequested: sql.text,
  model: sql.text,
  state: sql.text,
  startedAt: sql.timestamptz,
  recordedAt: sql.timestamptz,
  chargedNano: sql.nano,
  detail: sql.json.as<StoredReceipt["detail"]>(),
};

const FIND_REQUEST = statement({
  text: `SELECT ${RECEIPT_COLUMNS} FROM usage.requests WHERE request_id = $1`,
  parameters: [sql.uuid],
  row: RECEIPT_ROW,
});

/** One receipt, or null. Whose it is is the caller's business: compare accountId. */
export async function findRequest(q: Queryable, requestId: Uuid): Promise<StoredReceipt | null> {
  const [row] = await q.run(FIND_REQUEST, [requestId]);
  return row ?? null;
}

export interface ReceiptSearch {
  readonly accountId: Uuid;
  readonly keyId?: Uuid | null;
  readonly model?: string | null;
  readonly state?: string | null;
  /** The last request id of the page before; null for the first page. */
  readonly cursor: Uuid | null;
  /** The smallest id that is wanted: ids begin with the time. */
  readonly floor?: Uuid | null;
  readonly limit: number;
}

export interface ReceiptPage {
  readonly receipts: readonly StoredReceipt[];
  /** Null on the last page. */
  readonly nextCursor: Uuid | null;
}

const LIST = statement({
  text: `
  SELECT ${RECEIPT_COLUMNS} FROM usage.requests
  WHERE account_id = $1 AND ($2::uuid IS NULL OR request_id < $2) AND ($3::uuid IS NULL OR request_id >= $3)
  ORDER BY request_id DESC LIMIT $4`,
  parameters: [sql.uuid, sql.nullable(sql.uuid), sql.nullable(sql.uuid), sql.whole],
  row: RECEIPT_ROW,
});

/**
 * One step along the index for each combination that there is, however many receipts it has: its
 * key, model and state.
 */
const ALL_COMBINATIONS = `WITH RECURSIVE c AS (
    (SELECT r.key_id, r.model, r.state FROM usage.requests r WHERE r.account_id = $1 AND r.key_id IS NOT NULL
      ORDER BY r.key_id, r.model, r.state LIMIT 1)
    UNION ALL
    SELECT n.* FROM c, LATERAL (
      SELECT r.key_id, r.model, r.state FROM usage.requests r WHERE r.account_id = $1 AND (r.key_id, r.model, r.state) > (c.key_id, c.model, c.state)
      ORDER BY r.key_id, r.model, r.state LIMIT 1) n)`;
const COMBINATIONS_OF_KEY = `WITH RECURSIVE c AS (
    (SELECT r.key_id, r.model, r.state FROM usage.requests r WHERE r.account_id = $1 AND r.key_id = $4
      ORDER BY r.key_id, r.model, r.state LIMIT 1)
    UNION ALL
    SELECT n.* FROM c, LATERAL (
      SELECT r.key_id, r.model, r.state FROM usage.requests r WHERE r.account_id = $1 AND r.key_id = $4 AND (r.model, r.state) > (c.model, c.state)
      ORDER BY r.key_id, r.model, r.state LIMIT 1) n)`;

/**
 * The newest ids of each combination that is asked for, and of all these the newest: nothing else
 * is looked at, so a rare one is found at once.
 */
const FOUND = `, found AS MATERIALIZED (
    SELECT i.request_id FROM c, LATERAL (
      SELECT r.request_id FROM usage.requests r
      WHERE r.account_id = $1 AND r.key_id = c.key_id AND r.model = c.model AND r.state = c.state
        AND ($2::uuid IS NULL OR r.request_id < $2) AND ($3::uuid IS NULL OR r.request_id >= $3)
      ORDER BY r.request_id DESC LIMIT $7) i
    WHERE ($4::uuid IS NULL OR c.key_id = $4) AND ($5::text IS NULL OR c.model = $5) AND ($6::text IS NULL OR c.state = $6)
    ORDER BY i.request_id DESC LIMIT $7)
  SELECT ${RECEIPT_COLUMNS} FROM found JOIN usage.requests USING (request_id) ORDER BY request_id DESC`;
const SEARCH_PARAMETERS = [
  sql.uuid,
  sql.nullable(sql.uuid),
  sql.nullable(sql.uuid),
  sql.nullable(sql.uuid),
  sql.nullable(sql.text),
  sql.nullable(sql.text),
  sql.whole,
] as const;
const SEARCH_ALL = statement({
  text: `${ALL_COMBINATIONS}${FOUND}`,
  parameters: SEARCH_PARAMETERS,
  row: RECEIPT_ROW,
});
const SEARCH_KEY = statement({
  text: `${COMBINATIONS_OF_KEY}${FOUND}`,
  parameters: SEARCH_PARAMETERS,
  row: RECEIPT_ROW,
});

/**
 * An account's receipts, newest request first. A search finds those that a key paid for, which all
 * do that a gateway ever wrote.
 */
export async function listRequests(q: Queryable, search: ReceiptSearch): Promise<ReceiptPage> {
  const {
    accountId,
    cursor,
    floor = null,
    keyId = null,
    model = null,
    state = null,
    limit,
  } = search;
  const rows =
    keyId === null && model === null && state === null
      ? await q.run(LIST, [accountId, cursor, floor, limit + 1])
      : await q.run(keyId === null ? SEARCH_ALL : SEARCH_KEY, [
          accountId,
          cursor,
          floor,
          keyId,
          model,
          state,
          limit + 1,
        ]);
  const receipts = rows.slice(0, limit);
  return {
    receipts,
    nextCursor: rows.length > limit ? (receipts.at(-1)?.requestId ?? null) : null,
  };
}

const COUNT = statement({
  text: `
  SELECT count(*)::int AS count FROM (
    SELECT FROM usage.requests WHERE account_id = $1 AND ($2::uuid IS NULL OR request_id < $2) AND ($3::uuid IS NULL OR request_id >= $3)
      AND ($4::uuid IS NULL OR key_id = $4) AND ($5::text IS NULL OR model = $5) AND ($6::text IS NULL OR state = $6) LIMIT $7) receipts`,
  parameters: [
    sql.uuid,
    sql.nullable(sql.uuid),
    sql.nullable(sql.uuid),
    sql.nullable(sql.uuid),
    sql.nullable(sql.text),
    sql.nullable(sql.text),
    sql.whole,
  ],
  row: { count: sql.int4 },
});

/** How many there are, counted up to `limit`. */
export async function countRequests(q: Queryable, search: ReceiptSearch): Promise<number> {
  const {
    accountId,
    cursor,
    floor = null,
    keyId = null,
    model = null,
    state = null,
    limit,
  } = search;
  const [row] = await q.run(COUNT, [accountId, cursor, floor, keyId, model, state, limit]);
  return row?.count ?? 0;
}
