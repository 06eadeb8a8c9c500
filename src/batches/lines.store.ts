/** The lines of batches: written, leased by one process at a time, and ended only by that one. */
import { bigintArray, integerArray, textArray, uuidArray } from "../db/array-params.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import { BATCH_ENDPOINTS } from "../contract/enums/batch-endpoint.ts";
import { BATCH_SHAPES } from "../contract/enums/batch-state.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import {
  type BatchKey,
  type EndedLine,
  type LeasedLine,
  type LineAnswer,
  type NewLine,
  type PassedOn,
} from "./batch-record.ts";

const INSERT = statement({
  text: `
  INSERT INTO batches.lines (account_id, batch_id, line_no, custom_id, first_byte, bytes, quote_nano, state, status, answer, pass_no)
  SELECT $1, $2, u.line_no, u.custom_id, u.first_byte, u.bytes, u.quote,
    CASE WHEN u.status IS NOT NULL THEN 'errored' WHEN u.pass_no IS NOT NULL THEN 'passed' ELSE 'waiting' END, u.status,
    convert_to(u.answer, 'UTF8'), u.pass_no
  FROM unnest($3::int[], $4::text[], $5::int8[], $6::int[], $7::int8[], $8::int[], $9::text[], $10::int[])
    AS u (line_no, custom_id, first_byte, bytes, quote, status, answer, pass_no)`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.array(sql.int4),
    sql.array(sql.text),
    sql.array(sql.int8),
    sql.array(sql.int4),
    sql.array(sql.int8),
    sql.array(sql.int4),
    sql.array(sql.text),
    sql.array(sql.int4),
  ],
});

/** Of a batch that is being admitted. */
export async function insertLines(
  tx: Queryable,
  { accountId, batchId }: BatchKey,
  lines: readonly NewLine[],
): Promise<void> {
  await tx.run(INSERT, [
    accountId,
    batchId,
    integerArray(lines, ({ lineNo }) => lineNo),
    textArray(lines, ({ customId }) => customId),
    bigintArray(lines, ({ firstByte }) => BigInt(firstByte)),
    integerArray(lines, ({ bytes }) => bytes),
    bigintArray(lines, ({ quoteNano }) => quoteNano),
    integerArray(lines, ({ refused }) => refused?.status ?? null),
    textArray(lines, ({ refused }) => refused?.body.toString() ?? null),
    integerArray(lines, ({ passNo }) => passNo),
  ]);
}

// Batches by chance: none waits for another to end, and no process has to know what others do.
const LEASE = statement({
  text: `
  WITH batch AS MATERIALIZED (
    SELECT b.* FROM batches.batches b
    WHERE b.ended_at IS NULL AND b.state = 'in_progress' AND b.expires_at > clock_timestamp() AND b.account_id <> ALL ($4::uuid[]) AND EXISTS (
      SELECT FROM batches.lines l WHERE l.account_id = b.account_id AND l.batch_id = b.batch_id AND l.state IN ('waiting', 'running')
        AND l.due_at <= clock_timestamp())
    ORDER BY random() LIMIT 1),
  due AS MATERIALIZED (
    SELECT l.account_id, l.batch_id, l.line_no FROM batch b JOIN batches.lines l USING (account_id, batch_id)
    WHERE l.state IN ('waiting', 'running') AND l.due_at <= clock_timestamp() ORDER BY l.due_at, l.line_no LIMIT $3 FOR UPDATE OF l SKIP LOCKED),
  leased AS (
    UPDATE batches.lines l SET state = 'running', lease_id = $1, tries = l.tries + 1, due_at = clock_timestamp() + $2 * interval '1 millisecond'
    FROM due WHERE l.account_id = due.account_id AND l.batch_id = due.batch_id AND l.line_no = due.line_no
    RETURNING l.*)
  SELECT l.account_id AS "accountId", l.batch_id AS "batchId", l.line_no AS "lineNo", l.custom_id AS "customId", l.lease_id AS "leaseId",
    l.first_byte AS "firstByte", l.bytes, l.quote_nano AS "quoteNano", l.tries, b.key_id AS "keyId", b.shape, b.endpoint, b.input_name AS "inputName",
    b.passed_on AS "passedOn", b.price_version AS "priceVersion"
  FROM leased l JOIN batch b USING (account_id, batch_id)`,
  parameters: [sql.uuid, sql.float8, sql.whole, sql.array(sql.uuid)],
  row: {
    accountId: sql.uuid,
    batchId: sql.uuid,
    lineNo: sql.int4,
    customId: sql.text,
    leaseId: sql.present(sql.uuid),
    firstByte: sql.int8,
    bytes: sql.int4,
    quoteNano: sql.nano,
    tries: sql.int4,
    keyId: sql.uuid,
    shape: sql.oneOf(BATCH_SHAPES),
    endpoint: sql.oneOf(BATCH_ENDPOINTS),
    inputName: sql.text,
    passedOn: sql.json.as<PassedOn>(),
    priceVersion: sql.present(sql.int4),
  },
});

/** Lines of one batch that are due: new ones, ones to be tried again, and those of dead processes. */
export async function leaseLines(
  q: Queryable,
  order: {
    /** New for every call. */
    readonly leaseId: Uuid;
    readonly leaseMs: number;
    readonly limit: number;
    /** Of which nothing is taken. */
    readonly notOf: readonly Uuid[];
  },
): Promise<LeasedLine[]> {
  const { leaseId, leaseMs, limit, notOf } = order;
  const rows = await q.run(LEASE, [leaseId, leaseMs, limit, uuidArray(notOf, (id) => id)]);
  return rows.map((row) => ({ ...row, firstByte: Number(row.firstByte) }));
}

type LineKeys = readonly (BatchKey & { readonly lineNo: number; readonly leaseId: Uuid })[];

const NAMED = `unnest($1::uuid[], $2::uuid[], $3::int[], $4::uuid[]) AS u (account_id, batch_id, line_no, lease_id)
  WHERE l.account_id = u.account_id AND l.batch_id = u.batch_id AND l.line_no = u.line_no AND l.lease_id = u.lease_id`;

const RENEW = statement({
  text: `UPDATE batches.lines l SET due_at = clock_timestamp() + $5 * interval '1 millisecond' FROM ${NAMED}
     RETURNING l.batch_id AS "batchId", l.line_no AS "lineNo"`,
  parameters: [
    sql.array(sql.uuid),
    sql.array(sql.uuid),
    sql.array(sql.int4),
    sql.array(sql.uuid),
    sql.float8,
  ],
  row: { batchId: sql.uuid, lineNo: sql.int4 },
});

function named(lines: LineKeys) {
  return [
    uuidArray(lines, ({ accountId }) => accountId),
    uuidArray(lines, ({ batchId }) => batchId),
    integerArray(lines, ({ lineNo }) => lineNo),
    uuidArray(lines, ({ leaseId }) => leaseId),
  ] as const;
}

export async function renewLines(q: Queryable, lines: LineKeys, leaseMs: number): Promise<void> {
  await q.run(RENEW, [...named(lines), leaseMs]);
}

const PUT_BACK = statement({
  text: `UPDATE batches.lines l SET state = 'waiting', lease_id = NULL, due_at = clock_timestamp() + $5 * interval '1 millisecond',
     tries = l.tries - CASE WHEN $6 THEN 0 ELSE 1 END FROM ${NAMED}`,
  parameters: [
    sql.array(sql.uuid),
    sql.array(sql.uuid),
    sql.array(sql.int4),
    sql.array(sql.uuid),
    sql.float8,
    sql.bool,
  ],
});

/** To be taken again after so long; `tried`: this try counts. */
export async function putBackLines(
  q: Queryable,
  lines: LineKeys,
  afterMs: number,
  tried: boolean,
): Promise<void> {
  await q.run(PUT_BACK, [...named(lines), afterMs, tried]);
}

const LOCK_BATCH = statement({
  text: `SELECT state FROM batches.batches WHERE account_id = $1 AND batch_id = $2 AND state IN ('in_progress', 'cancelling') FOR NO KEY UPDATE`,
  parameters: [sql.uuid, sql.uuid],
  row: { state: sql.text },
});

const END = statement({
  text: `
  WITH ended AS (
    UPDATE batches.lines SET state = $5, lease_id = NULL, request_id = $6, status = $7, answer = $8
    WHERE account_id = $1 AND batch_id = $2 AND line_no = $3 AND state = 'running' AND lease_id = $4 RETURNING account_id, batch_id, state)
  UPDATE batches.batches b SET succeeded = b.succeeded + CASE WHEN e.state = 'succeeded' THEN 1 ELSE 0 END,
    errored = b.errored + CASE WHEN e.state = 'errored' THEN 1 ELSE 0 END, charged_nano = b.charged_nano + $9
  FROM ended e WHERE b.account_id = e.account_id AND b.batch_id = e.batch_id RETURNING true AS done`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.int4,
    sql.uuid,
    sql.oneOf(["succeeded", "errored"]),
    sql.uuid,
    sql.int4,
    sql.bytea,
    sql.nano,
  ],
  row: { done: sql.present(sql.bool) },
});

/**
 * Keeps the answer of a line, once; to be called before its money is ended in the same transaction.
 * `lost`: another process has it by now, or its batch is over.
 */
export async function endLineIn(
  tx: Queryable,
  line: LeasedLine,
  requestId: Uuid,
  { state, status, body }: LineAnswer,
  chargedNano: Nano,
): Promise<"ended" | "lost"> {
  const { accountId, batchId, lineNo, leaseId } = line;
  if ((await tx.run(LOCK_BATCH, [accountId, batchId])).length === 0) return "lost";
  const rows = await tx.run(END, [
    accountId,
    batchId,
    lineNo,
    leaseId,
    state,
    requestId,
    status,
    body,
    chargedNano,
  ]);
  return rows.length > 0 ? "ended" : "lost";
}

const PAGE = statement({
  text: `
  SELECT line_no AS "lineNo", custom_id AS "customId", state, request_id AS "requestId", status, answer FROM batches.lines
  WHERE account_id = $1 AND batch_id = $2 AND line_no > $3 AND (state = 'succeeded') = ANY ($4::bool[]) ORDER BY line_no LIMIT $5`,
  parameters: [sql.uuid, sql.uuid, sql.int4, sql.array(sql.bool), sql.whole],
  row: {
    lineNo: sql.int4,
    customId: sql.text,
    state: sql.oneOf(["succeeded", "errored", "canceled", "expired"]),
    requestId: sql.nullable(sql.uuid),
    status: sql.nullable(sql.int4),
    answer: sql.nullable(sql.bytea),
  },
});

export type LinesOf = "output" | "errors" | "all";

const SUCCEEDED: Readonly<Record<LinesOf, readonly boolean[]>> = {
  output: [true],
  errors: [false],
  all: [true, false],
};

/** In the order of the file; of a batch that is being finalized. */
export async function endedLines(
  q: Queryable,
  { accountId, batchId }: BatchKey,
  page: { readonly of: LinesOf; readonly after: number; readonly limit: number },
): Promise<EndedLine[]> {
  return q.run(PAGE, [accountId, batchId, page.after, SUCCEEDED[page.of], page.limit]);
}
