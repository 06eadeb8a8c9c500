/**
 * An owner's wish to stop a task: certain and free before any upstream was asked, a request to the
 * upstream afterwards.
 */
import { TASK_STATES } from "../contract/enums/task-state.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import { endTask } from "./end.store.ts";
import { TASK_PHASES, type CancelVerdict, type TaskKey } from "./task-record.ts";
import { addEvents, tellWorkers } from "./tasks.store.ts";

const REQUEST = statement({
  text: `
  UPDATE tasks.jobs SET cancel_requested_at = clock_timestamp(), woken = true,
    due_at = CASE WHEN lease_id IS NULL THEN least(due_at, clock_timestamp()) ELSE due_at END
  WHERE account_id = $1 AND task_id = $2 AND cancel_requested_at IS NULL RETURNING true AS done`,
  parameters: [sql.uuid, sql.uuid],
  row: { done: sql.bool },
});

const FIND_STATE = statement({
  text: "SELECT state FROM tasks.tasks WHERE account_id = $1 AND task_id = $2",
  parameters: [sql.uuid, sql.uuid],
  row: { state: sql.enumOf("tasks.state", TASK_STATES) },
});

const MARK_CANCEL = statement({
  text: "SELECT phase FROM tasks.jobs WHERE account_id = $1 AND task_id = $2 FOR UPDATE",
  parameters: [sql.uuid, sql.uuid],
  row: { phase: sql.enumOf("tasks.phase", TASK_PHASES) },
});

/** After `canceled` the caller releases the hold in the same transaction. */
export async function requestCancel(
  tx: Queryable,
  { accountId, taskId }: TaskKey,
): Promise<CancelVerdict> {
  // The lock decides between this and a submission that begins at the same moment.
  const [job] = await tx.run(MARK_CANCEL, [accountId, taskId]);
  const [task] = await tx.run(FIND_STATE, [accountId, taskId]);
  if (task === undefined) return { kind: "missing" };
  const { state } = task;
  if (job === undefined || state === "completed" || state === "failed")
    return { kind: "ended", state };
  const { phase } = job;
  if (phase === "held" || phase === "ready") {
    const message = "The task was canceled before it was started.";
    await endTask(tx, {
      accountId,
      taskId,
      leaseId: null,
      phase,
      end: { state: "failed", code: "canceled", message, watch: null },
    });
    return { kind: "canceled" };
  }
  if ((await tx.run(REQUEST, [accountId, taskId])).length > 0) {
    await addEvents(tx, { accountId, taskId }, [{ kind: "cancel_requested" }]);
    await tellWorkers(tx);
  }
  return { kind: "requested" };
}
