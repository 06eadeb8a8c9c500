/** The rows of batches (schema `batches`), as their account sees them: made, found, listed, stopped. */
import { BATCH_ENDPOINTS } from "../contract/enums/batch-endpoint.ts";
import { BATCH_SHAPES, BATCH_STATES, type BatchShape } from "../contract/enums/batch-state.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import {
  BATCH_OUTCOMES,
  type BatchKey,
  type BatchRecord,
  type FileMistake,
  type NewBatch,
  type PassedOn,
} from "./batch-record.ts";

export const BATCH_COLUMNS = `b.account_id AS "accountId", b.batch_id AS "batchId", b.key_id AS "keyId", b.shape, b.endpoint, b.state, b.outcome,
  b.input_file_id AS "inputFileId", b.input_name AS "inputName", b.output_file_id AS "outputFileId", b.error_file_id AS "errorFileId",
  b.client_ip AS "clientIp", b.passed_on AS "passedOn", b.metadata, b.errors, b.price_version AS "priceVersion", b.total, b.succeeded, b.errored,
  b.canceled, b.expired, b.created_at AS "createdAt", b.began_at AS "beganAt", b.cancel_asked_at AS "cancelAskedAt",
  b.finalizing_at AS "finalizingAt", b.ended_at AS "endedAt", b.expires_at AS "expiresAt",
  b.output_seconds AS "outputSeconds", b.quoted_nano AS "quotedNano", b.charged_nano AS "chargedNano"`;

export const BATCH_ROW = {
  accountId: sql.uuid,
  batchId: sql.uuid,
  keyId: sql.uuid,
  shape: sql.oneOf(BATCH_SHAPES),
  endpoint: sql.oneOf(BATCH_ENDPOINTS),
  state: sql.oneOf(BATCH_STATES),
  outcome: sql.nullable(sql.oneOf(BATCH_OUTCOMES)),
  inputFileId: sql.uuid,
  inputName: sql.text,
  outputFileId: sql.nullable(sql.uuid),
  errorFileId: sql.nullable(sql.uuid),
  clientIp: sql.text,
  passedOn: sql.json.as<PassedOn>(),
  metadata: sql.nullable(sql.json.as<Readonly<Record<string, string>>>()),
  errors: sql.nullable(sql.json.as<readonly FileMistake[]>()),
  priceVersion: sql.nullable(sql.int4),
  total: sql.int4,
  succeeded: sql.int4,
  errored: sql.int4,
  canceled: sql.int4,
  expired: sql.int4,
  createdAt: sql.timestamptz,
  beganAt: sql.nullable(sql.timestamptz),
  cancelAskedAt: sql.nullable(sql.timestamptz),
  finalizingAt: sql.nullable(sql.timestamptz),
  endedAt: sql.nullable(sql.timestamptz),
  expiresAt: sql.timestamptz,
  outputSeconds: sql.nullable(sql.int4),
  quotedNano: sql.nullable(sql.nano),
  chargedNano: sql.nullable(sql.nano),
};

const INSERT = statement({
  text: `INSERT INTO batches.batches AS b (account_id, batch_id, key_id, shape, endpoint, input_file_id, input_name, client_ip, passed_on, metadata,
       output_seconds)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING ${BATCH_COLUMNS}`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.uuid,
    sql.oneOf(BATCH_SHAPES),
    sql.text,
    sql.uuid,
    sql.text,
    sql.text,
    sql.json,
    sql.nullable(sql.json),
    sql.nullable(sql.int4),
  ],
  row: BATCH_ROW,
});

/** It is to be validated next. */
export async function insertBatch(q: Queryable, batch: NewBatch): Promise<BatchRecord | null> {
  const { accountId, batchId, keyId, shape, endpoint, inputFileId, inputName } = batch;
  const [row] = await q.run(INSERT, [
    accountId,
    batchId,
    keyId,
    shape,
    endpoint,
    inputFileId,
    inputName,
    batch.clientIp,
    JSON.stringify(batch.passedOn),
    batch.metadata === null ? null : JSON.stringify(batch.metadata),
    batch.outputSeconds,
  ]);
  return row ?? null;
}

const FIND = statement({
  text: `SELECT ${BATCH_COLUMNS} FROM batches.batches b WHERE b.account_id = $1 AND b.batch_id = $2 AND b.shape = $3`,
  parameters: [sql.uuid, sql.uuid, sql.oneOf(BATCH_SHAPES)],
  row: BATCH_ROW,
});

/** Another account's, and one of the other protocol, is not found. */
export async function findBatch(
  q: Queryable,
  { accountId, batchId }: BatchKey,
  shape: BatchShape,
): Promise<BatchRecord | null> {
  const [row] = await q.run(FIND, [accountId, batchId, shape]);
  return row ?? null;
}

const LIST = statement({
  text: `SELECT ${BATCH_COLUMNS} FROM batches.batches b
     WHERE b.account_id = $1 AND b.shape = $2 AND ($3::uuid IS NULL OR b.batch_id < $3) ORDER BY b.batch_id DESC LIMIT $4`,
  parameters: [sql.uuid, sql.oneOf(BATCH_SHAPES), sql.nullable(sql.uuid), sql.whole],
  row: BATCH_ROW,
});

const LIST_NEWER = statement({
  text: `SELECT ${BATCH_COLUMNS} FROM batches.batches b
     WHERE b.account_id = $1 AND b.shape = $2 AND b.batch_id > $3 ORDER BY b.batch_id LIMIT $4`,
  parameters: [sql.uuid, sql.oneOf(BATCH_SHAPES), sql.uuid, sql.whole],
  row: BATCH_ROW,
});

export interface BatchPage {
  readonly accountId: Uuid;
  readonly shape: BatchShape;
  /** Those older than this one; or those newer; null for both: from the newest on. */
  readonly olderThan: Uuid | null;
  readonly newerThan: Uuid | null;
  readonly limit: number;
}

/** Newest first; where newer ones are asked for, those next to it. */
export async function listBatches(q: Queryable, page: BatchPage): Promise<BatchRecord[]> {
  const { accountId, shape, olderThan, newerThan, limit } = page;
  if (newerThan === null) return q.run(LIST, [accountId, shape, olderThan, limit]);
  return (await q.run(LIST_NEWER, [accountId, shape, newerThan, limit])).toReversed();
}

const LIST_ALL = statement({
  text: `SELECT ${BATCH_COLUMNS} FROM batches.batches b
     WHERE b.account_id = $1 AND ($2::uuid IS NULL OR b.batch_id < $2) ORDER BY b.batch_id DESC LIMIT $3`,
  parameters: [sql.uuid, sql.nullable(sql.uuid), sql.whole],
  row: BATCH_ROW,
});

/** Of both protocols, newest first. */
export async function listAllBatches(
  q: Queryable,
  page: { readonly accountId: Uuid; readonly before: Uuid | null; readonly limit: number },
): Promise<BatchRecord[]> {
  return q.run(LIST_ALL, [page.accountId, page.before, page.limit]);
}

const COUNT_UNFINISHED = statement({
  text: `SELECT count(*) AS count FROM batches.batches WHERE account_id = $1 AND ended_at IS NULL`,
  parameters: [sql.uuid],
  row: { count: sql.int8 },
});

export async function countUnfinishedBatches(q: Queryable, accountId: Uuid): Promise<number> {
  const [row] = await q.run(COUNT_UNFINISHED, [accountId]);
  return Number(row?.count ?? 0n);
}

const CANCEL = statement({
  text: `
  WITH woken AS (
    UPDATE batches.passes SET due_at = clock_timestamp() WHERE account_id = $1 AND batch_id = $2 AND state <> 'over' AND lease_id IS NULL)
  UPDATE batches.batches b SET state = 'cancelling', cancel_asked_at = clock_timestamp(),
    due_at = CASE WHEN b.state = 'validating' THEN clock_timestamp() ELSE b.due_at END
  WHERE b.account_id = $1 AND b.batch_id = $2 AND b.shape = $3 AND b.state IN ('validating', 'in_progress') RETURNING ${BATCH_COLUMNS}`,
  parameters: [sql.uuid, sql.uuid, sql.oneOf(BATCH_SHAPES)],
  row: BATCH_ROW,
});

/** No line of it begins any more. Null: it is over, being stopped, or not there. */
export async function cancelBatch(
  q: Queryable,
  { accountId, batchId }: BatchKey,
  shape: BatchShape,
): Promise<BatchRecord | null> {
  const [row] = await q.run(CANCEL, [accountId, batchId, shape]);
  return row ?? null;
}

const DELETE = statement({
  text: `
  DELETE FROM batches.batches WHERE account_id = $1 AND batch_id = $2 AND shape = $3 AND ended_at IS NOT NULL
  RETURNING input_file_id AS "inputFileId", output_file_id AS "outputFileId"`,
  parameters: [sql.uuid, sql.uuid, sql.oneOf(BATCH_SHAPES)],
  row: { inputFileId: sql.uuid, outputFileId: sql.nullable(sql.uuid) },
});

/** Forgets one that has ended, and tells its files. Null: there is none, or it has not ended. */
export async function deleteBatch(
  q: Queryable,
  { accountId, batchId }: BatchKey,
  shape: BatchShape,
): Promise<{ readonly inputFileId: Uuid; readonly outputFileId: Uuid | null } | null> {
  const [row] = await q.run(DELETE, [accountId, batchId, shape]);
  return row ?? null;
}

const IS_READ = statement({
  text: `SELECT EXISTS (SELECT FROM batches.batches WHERE account_id = $1 AND input_file_id = $2 AND ended_at IS NULL) AS read`,
  parameters: [sql.uuid, sql.uuid],
  row: { read: sql.present(sql.bool) },
});

/** Whether an unfinished batch reads this file. */
export async function isReadByBatch(q: Queryable, accountId: Uuid, fileId: Uuid): Promise<boolean> {
  const [row] = await q.run(IS_READ, [accountId, fileId]);
  return row?.read === true;
}

const FORGET = statement({
  text: `
  WITH old AS (
    SELECT account_id, batch_id FROM batches.batches WHERE ended_at < statement_timestamp() - $1 * interval '1 day'
    ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  DELETE FROM batches.batches b USING old WHERE b.account_id = old.account_id AND b.batch_id = old.batch_id RETURNING b.batch_id AS "batchId"`,
  parameters: [sql.float8, sql.whole],
  row: { batchId: sql.uuid },
});

/** Batches that ended so many days ago, at most `limit`; returns how many. */
export async function forgetBatches(q: Queryable, days: number, limit: number): Promise<number> {
  return (await q.run(FORGET, [days, limit])).length;
}
