/** Passes: batches at upstreams that lines of ours were given to, one process at a time; and the ends of such lines. */
import { integerArray, textArray } from "../db/array-params.ts";
import { BATCH_ENDPOINTS } from "../contract/enums/batch-endpoint.ts";
import { BATCH_SHAPES } from "../contract/enums/batch-state.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import type { BatchKey, LineAnswer, PassedOn } from "./batch-record.ts";

export const PASS_STATES = ["waiting", "submitting", "running", "over"] as const;
export type PassState = (typeof PASS_STATES)[number];

export interface PassKey extends BatchKey {
  readonly passNo: number;
}

/** A pass with what its lines have of their batch. */
export interface PassRecord extends PassKey {
  readonly upstream: string;
  readonly model: string;
  readonly state: PassState;
  readonly credential: string | null;
  readonly remoteFile: string | null;
  readonly remoteId: string | null;
  readonly lines: number | null;
  readonly submittedAt: Date | null;
  readonly cancelSent: boolean;
  readonly keyId: Uuid;
  readonly shape: (typeof BATCH_SHAPES)[number];
  readonly endpoint: (typeof BATCH_ENDPOINTS)[number];
  readonly inputName: string;
  readonly passedOn: PassedOn;
  readonly priceVersion: number;
  /** It was cancelled, or its day is over. */
  readonly stopped: boolean;
  /** For so long. */
  readonly overSeconds: number;
}

const INSERT = statement({
  text: `INSERT INTO batches.passes (account_id, batch_id, pass_no, upstream, model)
     SELECT $1, $2, u.pass_no, u.upstream, u.model FROM unnest($3::int[], $4::text[], $5::text[]) AS u (pass_no, upstream, model)`,
  parameters: [sql.uuid, sql.uuid, sql.array(sql.int4), sql.array(sql.text), sql.array(sql.text)],
});

export interface NewPass {
  readonly passNo: number;
  readonly upstream: string;
  readonly model: string;
}

/** With the lines of a batch that is being admitted. */
export async function insertPasses(
  tx: Queryable,
  { accountId, batchId }: BatchKey,
  passes: readonly NewPass[],
): Promise<void> {
  await tx.run(INSERT, [
    accountId,
    batchId,
    integerArray(passes, ({ passNo }) => passNo),
    textArray(passes, ({ upstream }) => upstream),
    textArray(passes, ({ model }) => model),
  ]);
}

const TAKE = statement({
  text: `
  WITH due AS MATERIALIZED (
    SELECT p.account_id, p.batch_id, p.pass_no FROM batches.passes p JOIN batches.batches b USING (account_id, batch_id)
    WHERE p.state <> 'over' AND p.due_at <= clock_timestamp() AND b.state IN ('in_progress', 'cancelling')
    ORDER BY p.due_at LIMIT 1 FOR UPDATE OF p SKIP LOCKED)
  UPDATE batches.passes p SET lease_id = $1, due_at = clock_timestamp() + $2 * interval '1 millisecond'
  FROM due JOIN batches.batches b USING (account_id, batch_id)
  WHERE p.account_id = due.account_id AND p.batch_id = due.batch_id AND p.pass_no = due.pass_no
  RETURNING p.account_id AS "accountId", p.batch_id AS "batchId", p.pass_no AS "passNo", p.upstream, p.model, p.state, p.credential,
    p.remote_file AS "remoteFile", p.remote_id AS "remoteId", p.lines, p.submitted_at AS "submittedAt", p.cancel_sent AS "cancelSent",
    b.key_id AS "keyId", b.shape, b.endpoint, b.input_name AS "inputName", b.passed_on AS "passedOn", b.price_version AS "priceVersion",
    b.state = 'cancelling' OR b.expires_at <= clock_timestamp() AS stopped,
    greatest(0, extract(epoch FROM clock_timestamp() - b.expires_at))::float8 AS "overSeconds"`,
  parameters: [sql.uuid, sql.float8],
  row: {
    accountId: sql.uuid,
    batchId: sql.uuid,
    passNo: sql.int4,
    upstream: sql.text,
    model: sql.text,
    state: sql.oneOf(PASS_STATES),
    credential: sql.nullable(sql.text),
    remoteFile: sql.nullable(sql.text),
    remoteId: sql.nullable(sql.text),
    lines: sql.nullable(sql.int4),
    submittedAt: sql.nullable(sql.timestamptz),
    cancelSent: sql.bool,
    keyId: sql.uuid,
    shape: sql.oneOf(BATCH_SHAPES),
    endpoint: sql.oneOf(BATCH_ENDPOINTS),
    inputName: sql.text,
    passedOn: sql.json.as<PassedOn>(),
    priceVersion: sql.present(sql.int4),
    stopped: sql.present(sql.bool),
    overSeconds: sql.present(sql.float8),
  },
});

/** A pass that something is to be done with, for this process alone; null: there is none. */
export async function takePass(
  q: Queryable,
  leaseId: Uuid,
  leaseMs: number,
): Promise<PassRecord | null> {
  const [row] = await q.run(TAKE, [leaseId, leaseMs]);
  return row ?? null;
}

const MINE = "account_id = $1 AND batch_id = $2 AND pass_no = $3 AND lease_id = $4";

const RENEW = statement({
  text: `UPDATE batches.passes SET due_at = clock_timestamp() + $5 * interval '1 millisecond' WHERE ${MINE} RETURNING true AS kept`,
  parameters: [sql.uuid, sql.uuid, sql.int4, sql.uuid, sql.float8],
  row: { kept: sql.present(sql.bool) },
});

/** False: another process has it. */
export async function renewPass(
  q: Queryable,
  { accountId, batchId, passNo }: PassKey,
  leaseId: Uuid,
  leaseMs: number,
): Promise<boolean> {
  return (await q.run(RENEW, [accountId, batchId, passNo, leaseId, leaseMs])).length > 0;
}

const PUT_BACK = statement({
  text: `UPDATE batches.passes SET lease_id = NULL, due_at = clock_timestamp() + $5 * interval '1 millisecond',
     cancel_sent = cancel_sent OR $6 WHERE ${MINE}`,
  parameters: [sql.uuid, sql.uuid, sql.int4, sql.uuid, sql.float8, sql.bool],
});

/** To be taken again after so long; `cancelSent`: the upstream knows that it is stopped. */
export async function putBackPass(
  q: Queryable,
  { accountId, batchId, passNo }: PassKey,
  leaseId: Uuid,
  afterMs: number,
  cancelSent = false,
): Promise<void> {
  await q.run(PUT_BACK, [accountId, batchId, passNo, leaseId, afterMs, cancelSent]);
}

const BEGIN = statement({
  text: `UPDATE batches.passes SET state = 'submitting', credential = $5, remote_file = $6, lines = $7, submitted_at = clock_timestamp()
     WHERE ${MINE} AND state IN ('waiting', 'submitting') RETURNING true AS begun`,
  parameters: [sql.uuid, sql.uuid, sql.int4, sql.uuid, sql.text, sql.nullable(sql.text), sql.int4],
  row: { begun: sql.present(sql.bool) },
});

/** Before the upstream is asked to make it. False: it is another process's by now. */
export async function beginSubmission(
  q: Queryable,
  { accountId, batchId, passNo }: PassKey,
  leaseId: Uuid,
  sent: {
    readonly credential: string;
    readonly remoteFile: string | null;
    readonly lines: number;
  },
): Promise<boolean> {
  const { credential, remoteFile, lines } = sent;
  const parameters = [accountId, batchId, passNo, leaseId, credential, remoteFile, lines] as const;
  return (await q.run(BEGIN, parameters)).length > 0;
}

const SUBMITTED = statement({
  text: `UPDATE batches.passes SET state = 'running', remote_id = $5, lease_id = NULL, due_at = clock_timestamp() + $6 * interval '1 millisecond'
     WHERE ${MINE} AND state = 'submitting' RETURNING true AS kept`,
  parameters: [sql.uuid, sql.uuid, sql.int4, sql.uuid, sql.text, sql.float8],
  row: { kept: sql.present(sql.bool) },
});

/** The upstream has it, under this id. */
export async function passSubmitted(
  q: Queryable,
  { accountId, batchId, passNo }: PassKey,
  leaseId: Uuid,
  remoteId: string,
  afterMs: number,
): Promise<void> {
  await q.run(SUBMITTED, [accountId, batchId, passNo, leaseId, remoteId, afterMs]);
}

const IS_KNOWN = statement({
  text: "SELECT EXISTS (SELECT FROM batches.passes WHERE upstream = $1 AND remote_id = $2) AS known",
  parameters: [sql.text, sql.text],
  row: { known: sql.present(sql.bool) },
});

/** Whether a pass of ours is that one. */
export async function isKnownRemote(
  q: Queryable,
  upstream: string,
  remoteId: string,
): Promise<boolean> {
  const [row] = await q.run(IS_KNOWN, [upstream, remoteId]);
  return row?.known === true;
}

const LOCK_BATCH = statement({
  text: `SELECT state FROM batches.batches WHERE account_id = $1 AND batch_id = $2 AND state IN ('in_progress', 'cancelling') FOR NO KEY UPDATE`,
  parameters: [sql.uuid, sql.uuid],
  row: { state: sql.text },
});

const OVER = statement({
  text: `
  WITH over AS (
    UPDATE batches.passes SET state = 'over', lease_id = NULL WHERE ${MINE} AND state <> 'over' RETURNING account_id, batch_id, pass_no)
  UPDATE batches.lines l SET state = 'waiting', due_at = clock_timestamp() FROM over
  WHERE l.account_id = over.account_id AND l.batch_id = over.batch_id AND l.pass_no = over.pass_no AND l.state = 'passed'`,
  parameters: [sql.uuid, sql.uuid, sql.int4, sql.uuid],
});

/** Nothing comes of it any more: what is left of its lines is worked off as others are. */
export async function passOverIn(
  tx: Queryable,
  { accountId, batchId, passNo }: PassKey,
  leaseId: Uuid,
): Promise<void> {
  await tx.run(LOCK_BATCH, [accountId, batchId]);
  await tx.run(OVER, [accountId, batchId, passNo, leaseId]);
}

const LINES = statement({
  text: `SELECT line_no AS "lineNo", custom_id AS "customId", first_byte AS "firstByte", bytes, quote_nano AS "quoteNano" FROM batches.lines
     WHERE account_id = $1 AND batch_id = $2 AND pass_no = $3 AND state = 'passed' AND line_no > $4 AND line_no <= $5 ORDER BY line_no LIMIT $6`,
  parameters: [sql.uuid, sql.uuid, sql.int4, sql.int4, sql.int4, sql.whole],
  row: {
    lineNo: sql.int4,
    customId: sql.text,
    firstByte: sql.int8,
    bytes: sql.int4,
    quoteNano: sql.nano,
  },
});

export interface PassLine {
  readonly lineNo: number;
  readonly customId: string;
  readonly firstByte: number;
  readonly bytes: number;
  readonly quoteNano: Nano;
}

const LAST_LINE = 2 ** 31 - 1;

/** Of its lines those that are still there, in their order. */
export async function passedLines(
  q: Queryable,
  { accountId, batchId, passNo }: PassKey,
  page: { readonly after: number; readonly upTo?: number; readonly limit: number },
): Promise<PassLine[]> {
  const { after, upTo = LAST_LINE, limit } = page;
  const rows = await q.run(LINES, [accountId, batchId, passNo, after, upTo, limit]);
  return rows.map((row) => ({ ...row, firstByte: Number(row.firstByte) }));
}

const BACK = statement({
  text: `UPDATE batches.lines SET state = 'waiting', due_at = clock_timestamp()
     WHERE account_id = $1 AND batch_id = $2 AND pass_no = $3 AND line_no = $4 AND state = 'passed'`,
  parameters: [sql.uuid, sql.uuid, sql.int4, sql.int4],
});

/** The gateway works it off itself. */
export async function takeLineBack(
  q: Queryable,
  { accountId, batchId, passNo }: PassKey,
  lineNo: number,
): Promise<void> {
  await q.run(BACK, [accountId, batchId, passNo, lineNo]);
}

const END = statement({
  text: `
  WITH ended AS (
    UPDATE batches.lines SET state = $5, request_id = $6, status = $7, answer = $8
    WHERE account_id = $1 AND batch_id = $2 AND pass_no = $3 AND line_no = $4 AND state = 'passed' RETURNING account_id, batch_id, state)
  UPDATE batches.batches b SET succeeded = b.succeeded + CASE WHEN e.state = 'succeeded' THEN 1 ELSE 0 END,
    errored = b.errored + CASE WHEN e.state = 'errored' THEN 1 ELSE 0 END, charged_nano = b.charged_nano + $9
  FROM ended e WHERE b.account_id = e.account_id AND b.batch_id = e.batch_id RETURNING true AS done`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.int4,
    sql.int4,
    sql.oneOf(["succeeded", "errored"]),
    sql.uuid,
    sql.int4,
    sql.bytea,
    sql.nano,
  ],
  row: { done: sql.present(sql.bool) },
});

/**
 * Keeps the answer of a line that was passed, once; to be called before its money is ended in the
 * same transaction. `lost`: it has ended, or its batch is over.
 */
export async function endPassedLineIn(
  tx: Queryable,
  { accountId, batchId, passNo }: PassKey,
  lineNo: number,
  requestId: Uuid,
  { state, status, body }: LineAnswer,
  chargedNano: Nano,
): Promise<"ended" | "lost"> {
  if ((await tx.run(LOCK_BATCH, [accountId, batchId])).length === 0) return "lost";
  const parameters = [
    accountId,
    batchId,
    passNo,
    lineNo,
    state,
    requestId,
    status,
    body,
    chargedNano,
  ] as const;
  return (await tx.run(END, parameters)).length > 0 ? "ended" : "lost";
}
