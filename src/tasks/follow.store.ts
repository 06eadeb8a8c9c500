/**
 * What is told of a task that an upstream has: that it would not stop it, and how it came out after
 * it had failed here by its deadline.
 */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { HeldTask } from "./jobs.store.ts";
import type { NewEvent, TaskKey } from "./task-record.ts";
import { addEvents } from "./tasks.store.ts";

const REFUSE = statement({
  text: `
  UPDATE tasks.jobs SET cancel_requested_at = NULL
  WHERE account_id = $1 AND task_id = $2 AND lease_id = $3 AND phase = 'running' AND cancel_requested_at IS NOT NULL RETURNING true AS done`,
  parameters: [sql.uuid, sql.uuid, sql.uuid],
  row: { done: sql.bool },
});

/**
 * The upstream goes on; another request may be made. False: no process waits for the answer any
 * more.
 */
export async function refuseCancel(tx: Queryable, held: HeldTask): Promise<boolean> {
  const { accountId, taskId, leaseId } = held;
  if ((await tx.run(REFUSE, [accountId, taskId, leaseId])).length === 0) return false;
  await addEvents(tx, held, [{ kind: "cancel_refused" }]);
  return true;
}

const END_WATCH = statement({
  text: `
  WITH job AS (
    DELETE FROM tasks.jobs WHERE account_id = $1 AND task_id = $2 AND lease_id = $3 AND phase = 'watching' RETURNING account_id, task_id),
  unheard AS (DELETE FROM directory.attempts a USING job WHERE a.account_id = job.account_id AND a.task_id = job.task_id)
  SELECT true AS done FROM job`,
  parameters: [sql.uuid, sql.uuid, sql.uuid],
  row: { done: sql.bool },
});

/**
 * Nothing is left to be done for a task that failed by its deadline. False: another process said
 * so, or works at it.
 */
export async function endWatch(
  tx: Queryable,
  { accountId, taskId, leaseId, event }: HeldTask & { readonly event: NewEvent },
): Promise<boolean> {
  const ended = await tx.run(END_WATCH, [accountId, taskId, leaseId]);
  if (ended.length > 0) await addEvents(tx, { accountId, taskId }, [event]);
  return ended.length > 0;
}

const LOCK_JOB = statement({
  text: "SELECT true AS found FROM tasks.jobs WHERE account_id = $1 AND task_id = $2 FOR UPDATE",
  parameters: [sql.uuid, sql.uuid],
  row: { found: sql.bool },
});

/**
 * Whether there still is something to be done for it; it stays so until the transaction is over.
 */
export async function lockJob(tx: Queryable, { accountId, taskId }: TaskKey): Promise<boolean> {
  return (await tx.run(LOCK_JOB, [accountId, taskId])).length > 0;
}
