/**
 * The records of requests with an idempotency key (schema `idempotency`): one insertion decides
 * between all processes who runs a request.
 */
import { booleanArray, textArray, uuidArray } from "../db/array-params.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement, type Given } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import type { KeptAnswer, NewRecord, RecordClaim, RecordEnd, RecordFinding } from "./record.ts";

/** A larger answer is not kept; its record stays, so that it is not charged again. */
export const KEPT_ANSWER_LIMIT_BYTES = 16 * 1024 * 1024;
/**
 * The record of a request that runs is not removed for its age: its process ends it. This is for
 * those whose process died.
 */
const ABANDONED_AFTER = "interval '7 days'";

const NO_ANSWER =
  "status = NULL, content_type = NULL, streamed = NULL, broken = NULL, body = NULL, charged_nano = NULL";

const BEGIN = statement({
  text: `
  INSERT INTO idempotency.records AS r (account_id, key, request_id, owner_id, digest) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (account_id, key) DO UPDATE SET request_id = excluded.request_id, owner_id = excluded.owner_id, digest = excluded.digest,
    state = 'running', created_at = excluded.created_at, expires_at = excluded.expires_at, ${NO_ANSWER}
  WHERE r.state = 'answered' AND r.expires_at <= clock_timestamp()
  RETURNING true AS fresh`,
  parameters: [sql.uuid, sql.text, sql.uuid, sql.uuid, sql.bytea],
  row: { fresh: sql.bool },
});

const FIND = statement({
  text: `
  SELECT request_id AS "requestId", owner_id AS "ownerId", state = 'answered' AS answered,
    digest = $3 OR expires_at <= clock_timestamp() AS same, -- whose time is over stands in no request's way
    CASE WHEN digest = $3 AND state = 'answered' THEN body END AS body,
    status, content_type AS "contentType", streamed, broken, charged_nano AS "chargedNano"
  FROM idempotency.records WHERE account_id = $1 AND key = $2`,
  parameters: [sql.uuid, sql.text, sql.bytea],
  row: {
    requestId: sql.uuid,
    ownerId: sql.uuid,
    answered: sql.bool,
    same: sql.bool,
    body: sql.nullable(sql.bytea),
    status: sql.nullable(sql.int2),
    contentType: sql.nullable(sql.text),
    streamed: sql.nullable(sql.bool),
    broken: sql.nullable(sql.bool),
    chargedNano: sql.nullable(sql.nano),
  },
});

interface FoundRow {
  readonly requestId: Uuid;
  readonly ownerId: Uuid;
  readonly same: boolean;
  readonly answered: boolean;
  readonly body: Buffer | null;
  readonly status: number | null;
  readonly contentType: string | null;
  readonly streamed: boolean | null;
  readonly broken: boolean | null;
  readonly chargedNano: Nano | null;
}

/**
 * Makes the record, or tells what is there. `gone`: there was one and it has been removed
 * meanwhile; begin again.
 */
export async function beginRecord(
  q: Queryable,
  record: NewRecord,
): Promise<RecordFinding | { readonly kind: "gone" }> {
  const { accountId, key, requestId, ownerId, digest } = record;
  const made = await q.run(BEGIN, [accountId, key, requestId, ownerId, digest]);
  if (made.length > 0) return { kind: "fresh" };
  const [found] = await q.run(FIND, [accountId, key, digest]);
  if (found === undefined) return { kind: "gone" };
  if (!found.same) return { kind: "mismatch" };
  if (!found.answered)
    return { kind: "running", requestId: found.requestId, ownerId: found.ownerId };
  return {
    kind: "answered",
    requestId: found.requestId,
    chargedNano: found.chargedNano ?? (0n as Nano),
    answer: readAnswer(found),
  };
}

function readAnswer({ status, contentType, streamed, broken, body }: FoundRow): KeptAnswer | null {
  if (
    status === null ||
    contentType === null ||
    streamed === null ||
    broken === null ||
    body === null
  )
    return null;
  return { status, contentType, streamed, broken, body };
}

const TAKE_OVER = statement({
  text: `
  UPDATE idempotency.records SET request_id = $4, owner_id = $5, digest = $6, created_at = clock_timestamp(),
    expires_at = clock_timestamp() + interval '24 hours', ${NO_ANSWER}
  WHERE account_id = $1 AND key = $2 AND request_id = $3 AND state = 'running' AND (digest = $6 OR expires_at <= clock_timestamp())
  RETURNING true AS done`,
  parameters: [sql.uuid, sql.text, sql.uuid, sql.uuid, sql.uuid, sql.bytea],
  row: { done: sql.bool },
});

/**
 * Makes a running record of `from` this request's own; false when another request was faster. Only
 * when it is certain that the request `from` can be charged no more: its process is dead, and it
 * holds nothing.
 */
export async function takeOverRecord(
  q: Queryable,
  from: Uuid,
  record: NewRecord,
): Promise<boolean> {
  const { accountId, key, requestId, ownerId, digest } = record;
  return (await q.run(TAKE_OVER, [accountId, key, from, requestId, ownerId, digest])).length > 0;
}

const KEEP = statement({
  text: `
  UPDATE idempotency.records SET status = $4, content_type = $5, streamed = $6, broken = $7, body = $8
  WHERE account_id = $1 AND key = $2 AND request_id = $3 AND state = 'running'
  RETURNING true AS done`,
  parameters: [
    sql.uuid,
    sql.text,
    sql.uuid,
    sql.nullable(sql.int2),
    sql.nullable(sql.text),
    sql.nullable(sql.bool),
    sql.nullable(sql.bool),
    sql.nullable(sql.bytea),
  ],
  row: { done: sql.bool },
});

/**
 * Writes what will be the answer once the record ends as answered; null for one that is too large.
 * Apart from that end, because it may be long and the end holds the locks of accounts. `lost`: the
 * record is another request's by now, and this one must not be charged.
 */
export async function keepAnswer(
  q: Queryable,
  claim: RecordClaim,
  answer: KeptAnswer | null,
): Promise<"kept" | "lost"> {
  const { accountId, key, requestId } = claim;
  const kept = answer === null || answer.body.length > KEPT_ANSWER_LIMIT_BYTES ? null : answer;
  const rows = await q.run(KEEP, [
    accountId,
    key,
    requestId,
    kept?.status ?? null,
    kept?.contentType ?? null,
    kept?.streamed ?? null,
    kept?.broken ?? null,
    kept?.body ?? null,
  ]);
  return rows.length > 0 ? "kept" : "lost";
}

const FORGET_RECORD = statement({
  text: "DELETE FROM idempotency.records WHERE account_id = $1 AND key = $2 AND request_id = $3 AND state = 'running'",
  parameters: [sql.uuid, sql.text, sql.uuid],
});

/**
 * Removes the record of a request that came to nothing; one that has ended, or is another's, stays.
 */
export async function forgetRecord(
  q: Queryable,
  { accountId, key, requestId }: RecordClaim,
): Promise<void> {
  await q.run(FORGET_RECORD, [accountId, key, requestId]);
}

/** Of idempotency.end_many before the charges, for the statement that ends the holds. */
export const END_PARAMETERS = [
  sql.array(sql.uuid),
  sql.array(sql.text),
  sql.array(sql.uuid),
  sql.array(sql.bool),
] as const;

/** Null where there is no record. */
export function endParams(ends: readonly (RecordEnd | null)[]): Given<typeof END_PARAMETERS> {
  return [
    uuidArray(ends, (end) => end?.accountId ?? null),
    textArray(ends, (end) => end?.key ?? null),
    uuidArray(ends, (end) => end?.requestId ?? null),
    booleanArray(ends, (end) => end?.answered ?? null),
  ];
}

const DELETE_EXPIRED = statement({
  text: `
  DELETE FROM idempotency.records r USING (
    SELECT account_id, key FROM idempotency.records
    WHERE expires_at <= statement_timestamp() AND (state = 'answered' OR expires_at <= statement_timestamp() - ${ABANDONED_AFTER})
    ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED) old
  WHERE r.account_id = old.account_id AND r.key = old.key
  RETURNING true AS done`,
  parameters: [sql.whole],
  row: { done: sql.bool },
});

/** Removes records whose time is over, at most `limit`; returns how many. */
export async function deleteExpiredRecords(q: Queryable, limit: number): Promise<number> {
  return (await q.run(DELETE_EXPIRED, [limit])).length;
}
