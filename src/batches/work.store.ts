/** What is done with a batch as a whole, by one process at a time: admitted, closed, and ended. */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import type { BatchKey, BatchOutcome, BatchRecord, FileMistake } from "./batch-record.ts";
import { BATCH_COLUMNS, BATCH_ROW } from "./batches.store.ts";

const ANY = statement({
  text: `SELECT EXISTS (SELECT FROM batches.batches WHERE ended_at IS NULL) AS any`,
  parameters: [],
  row: { any: sql.bool },
});

/** Whether there is a batch that has not ended; without one nothing is to be done. */
export async function anyBatches(q: Queryable): Promise<boolean> {
  const [row] = await q.run(ANY, []);
  return row?.any === true;
}

const TAKE = statement({
  text: `
  WITH due AS MATERIALIZED (
    SELECT account_id, batch_id FROM batches.batches
    WHERE ended_at IS NULL AND (state IN ('validating', 'finalizing') OR state = 'cancelling' AND price_version IS NULL)
      AND due_at <= clock_timestamp() ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
  UPDATE batches.batches b SET lease_id = $1, due_at = clock_timestamp() + $2 * interval '1 millisecond' FROM due
  WHERE b.account_id = due.account_id AND b.batch_id = due.batch_id RETURNING ${BATCH_COLUMNS}`,
  parameters: [sql.uuid, sql.float8],
  row: BATCH_ROW,
});

/** A batch that is to be validated or finalized, for this process alone; null: there is none. */
export async function takeBatch(
  q: Queryable,
  leaseId: Uuid,
  leaseMs: number,
): Promise<BatchRecord | null> {
  const [row] = await q.run(TAKE, [leaseId, leaseMs]);
  return row ?? null;
}

const RENEW = statement({
  text: `UPDATE batches.batches SET due_at = clock_timestamp() + $4 * interval '1 millisecond'
     WHERE account_id = $1 AND batch_id = $2 AND lease_id = $3 AND ended_at IS NULL RETURNING true AS kept`,
  parameters: [sql.uuid, sql.uuid, sql.uuid, sql.float8],
  row: { kept: sql.present(sql.bool) },
});

/** Also how it is given back, with 0. False: another process has it, or it has ended. */
export async function renewBatch(
  q: Queryable,
  { accountId, batchId }: BatchKey,
  leaseId: Uuid,
  leaseMs: number,
): Promise<boolean> {
  return (await q.run(RENEW, [accountId, batchId, leaseId, leaseMs])).length > 0;
}

const LOCK_NEW = statement({
  text: `SELECT true AS here FROM batches.batches WHERE account_id = $1 AND batch_id = $2 AND state = 'validating'
     AND lease_id IS NOT DISTINCT FROM $3 FOR NO KEY UPDATE`,
  parameters: [sql.uuid, sql.uuid, sql.nullable(sql.uuid)],
  row: { here: sql.present(sql.bool) },
});

/** For the rest of the transaction. False: it is not this process's to admit, or was cancelled. */
export async function lockNewBatch(
  tx: Queryable,
  { accountId, batchId }: BatchKey,
  leaseId: Uuid | null,
): Promise<boolean> {
  return (await tx.run(LOCK_NEW, [accountId, batchId, leaseId])).length > 0;
}

const ADMIT = statement({
  text: `
  UPDATE batches.batches SET state = 'in_progress', began_at = clock_timestamp(), lease_id = NULL, price_version = $3, total = $4, errored = $5,
    quoted_nano = $6
  WHERE account_id = $1 AND batch_id = $2`,
  parameters: [sql.uuid, sql.uuid, sql.int4, sql.int4, sql.int4, sql.nano],
});

/** Its money is held and its lines are written, in the same transaction. */
export async function admitBatch(
  tx: Queryable,
  { accountId, batchId }: BatchKey,
  admitted: {
    readonly priceVersion: number;
    readonly total: number;
    readonly refused: number;
    readonly quotedNano: Nano;
  },
): Promise<void> {
  const { priceVersion, total, refused, quotedNano } = admitted;
  await tx.run(ADMIT, [accountId, batchId, priceVersion, total, refused, quotedNano]);
}

const FAIL = statement({
  text: `
  UPDATE batches.batches SET state = 'failed', errors = $4, total = $5, ended_at = clock_timestamp(), lease_id = NULL
  WHERE account_id = $1 AND batch_id = $2 AND lease_id = $3 AND state = 'validating' RETURNING true AS done`,
  parameters: [sql.uuid, sql.uuid, sql.uuid, sql.json, sql.int4],
  row: { done: sql.present(sql.bool) },
});

/** Nothing of it was held. */
export async function failBatch(
  q: Queryable,
  { accountId, batchId }: BatchKey,
  leaseId: Uuid,
  failed: { readonly errors: readonly FileMistake[]; readonly total: number },
): Promise<void> {
  await q.run(FAIL, [accountId, batchId, leaseId, JSON.stringify(failed.errors), failed.total]);
}

// No line of it is under way at a living process, and none is to begin.
const TO_CLOSE = statement({
  text: `
  SELECT b.account_id AS "accountId", b.batch_id AS "batchId" FROM batches.batches b
  WHERE b.ended_at IS NULL AND b.state IN ('in_progress', 'cancelling') AND b.price_version IS NOT NULL
    AND NOT EXISTS (SELECT FROM batches.lines l WHERE l.account_id = b.account_id AND l.batch_id = b.batch_id AND l.state = 'running'
      AND l.due_at > clock_timestamp())
    AND (b.state = 'cancelling' OR b.expires_at <= clock_timestamp() OR NOT EXISTS (
      SELECT FROM batches.lines l WHERE l.account_id = b.account_id AND l.batch_id = b.batch_id AND l.state IN ('waiting', 'running', 'passed')))
    AND NOT EXISTS (SELECT FROM batches.passes p WHERE p.account_id = b.account_id AND p.batch_id = b.batch_id AND p.state <> 'over')
  LIMIT $1`,
  parameters: [sql.whole],
  row: { accountId: sql.uuid, batchId: sql.uuid },
});

/** Batches whose lines are all over, or that were stopped. */
export async function batchesToClose(q: Queryable, limit: number): Promise<BatchKey[]> {
  return q.run(TO_CLOSE, [limit]);
}

const LOCK_OPEN = statement({
  text: `
  SELECT state = 'cancelling' AS cancelling, expires_at <= clock_timestamp() AS over FROM batches.batches
  WHERE account_id = $1 AND batch_id = $2 AND state IN ('in_progress', 'cancelling') FOR UPDATE SKIP LOCKED`,
  parameters: [sql.uuid, sql.uuid],
  row: { cancelling: sql.present(sql.bool), over: sql.present(sql.bool) },
});

const GIVE_UP = statement({
  text: `
  WITH given_up AS (
    UPDATE batches.lines SET state = $3, lease_id = NULL
    WHERE account_id = $1 AND batch_id = $2 AND (state IN ('waiting', 'passed') OR state = 'running' AND due_at <= clock_timestamp()) RETURNING 1)
  SELECT count(*) AS count FROM given_up`,
  parameters: [sql.uuid, sql.uuid, sql.oneOf(["canceled", "expired"])],
  row: { count: sql.int8 },
});

const STILL_OPEN = statement({
  text: `SELECT EXISTS (SELECT FROM batches.lines WHERE account_id = $1 AND batch_id = $2 AND state IN ('waiting', 'running', 'passed'))
     OR EXISTS (SELECT FROM batches.passes WHERE account_id = $1 AND batch_id = $2 AND state <> 'over') AS open`,
  parameters: [sql.uuid, sql.uuid],
  row: { open: sql.present(sql.bool) },
});

const CLOSE = statement({
  text: `
  UPDATE batches.batches SET state = 'finalizing', outcome = $3, finalizing_at = clock_timestamp(), due_at = clock_timestamp(), lease_id = NULL,
    canceled = canceled + CASE WHEN $3 = 'cancelled' THEN $4 ELSE 0 END, expired = expired + CASE WHEN $3 = 'expired' THEN $4 ELSE 0 END
  WHERE account_id = $1 AND batch_id = $2`,
  parameters: [sql.uuid, sql.uuid, sql.text, sql.int4],
});

/** A line was leased meanwhile: the transaction is to be undone. */
export class StillOpen extends Error {
  override name = "StillOpen";
}

/**
 * Gives up what of it has not begun, and sends it to be finalized. What is under way at a process
 * that died is given up, too: it was not charged. Throws StillOpen.
 */
export async function closeBatchIn(tx: Queryable, { accountId, batchId }: BatchKey): Promise<void> {
  const [found] = await tx.run(LOCK_OPEN, [accountId, batchId]);
  if (found === undefined) return;
  const stopped = found.cancelling ? "cancelled" : found.over ? "expired" : null;
  let left = 0;
  if (stopped !== null) {
    const state = stopped === "cancelled" ? "canceled" : "expired";
    const [row] = await tx.run(GIVE_UP, [accountId, batchId, state]);
    left = Number(row?.count ?? 0n);
  }
  const [still] = await tx.run(STILL_OPEN, [accountId, batchId]);
  if (still?.open !== false) throw new StillOpen();
  // Whatever it was stopped for, one whose lines are all answered is complete.
  const outcome: BatchOutcome =
    stopped === null || (left === 0 && stopped === "expired") ? "completed" : stopped;
  await tx.run(CLOSE, [accountId, batchId, outcome, left]);
}

const LOCK_MINE = statement({
  text: `SELECT output_file_id AS "outputFileId", error_file_id AS "errorFileId" FROM batches.batches
     WHERE account_id = $1 AND batch_id = $2 AND lease_id = $3 AND state = 'finalizing' FOR NO KEY UPDATE`,
  parameters: [sql.uuid, sql.uuid, sql.uuid],
  row: { outputFileId: sql.nullable(sql.uuid), errorFileId: sql.nullable(sql.uuid) },
});

const SET_OUTPUT = statement({
  text: "UPDATE batches.batches SET output_file_id = $3 WHERE account_id = $1 AND batch_id = $2",
  parameters: [sql.uuid, sql.uuid, sql.uuid],
});
const SET_ERRORS = statement({
  text: "UPDATE batches.batches SET error_file_id = $3 WHERE account_id = $1 AND batch_id = $2",
  parameters: [sql.uuid, sql.uuid, sql.uuid],
});

/** In the transaction that stores the file. False: there is one already, or it is another's batch. */
export async function setFileIn(
  tx: Queryable,
  { accountId, batchId }: BatchKey,
  leaseId: Uuid,
  file: { readonly of: "output" | "errors"; readonly fileId: Uuid },
): Promise<boolean> {
  const [mine] = await tx.run(LOCK_MINE, [accountId, batchId, leaseId]);
  if (mine === undefined) return false;
  if ((file.of === "output" ? mine.outputFileId : mine.errorFileId) !== null) return false;
  await tx.run(file.of === "output" ? SET_OUTPUT : SET_ERRORS, [accountId, batchId, file.fileId]);
  return true;
}

const END = statement({
  text: `
  UPDATE batches.batches SET state = outcome, ended_at = clock_timestamp(), lease_id = NULL
  WHERE account_id = $1 AND batch_id = $2 AND lease_id = $3 AND state = 'finalizing' RETURNING true AS done`,
  parameters: [sql.uuid, sql.uuid, sql.uuid],
  row: { done: sql.present(sql.bool) },
});

const DELETE_LINES = statement({
  text: "DELETE FROM batches.lines WHERE account_id = $1 AND batch_id = $2",
  parameters: [sql.uuid, sql.uuid],
});

/** Its files are there; what is left of its hold goes in the same transaction. False: it is not mine. */
export async function endBatchIn(
  tx: Queryable,
  { accountId, batchId }: BatchKey,
  leaseId: Uuid,
): Promise<boolean> {
  if ((await tx.run(END, [accountId, batchId, leaseId])).length === 0) return false;
  await tx.run(DELETE_LINES, [accountId, batchId]);
  return true;
}

const ABANDON = statement({
  text: `
  UPDATE batches.batches SET state = 'cancelled', outcome = 'cancelled', finalizing_at = clock_timestamp(), ended_at = clock_timestamp(), lease_id = NULL
  WHERE account_id = $1 AND batch_id = $2 AND lease_id = $3 AND state = 'cancelling' AND price_version IS NULL`,
  parameters: [sql.uuid, sql.uuid, sql.uuid],
});

/** One that was cancelled before it was admitted: nothing of it was held. */
export async function abandonBatch(
  q: Queryable,
  { accountId, batchId }: BatchKey,
  leaseId: Uuid,
): Promise<void> {
  await q.run(ABANDON, [accountId, batchId, leaseId]);
}
