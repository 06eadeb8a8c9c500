/**
 * The one way by which a task ends: its state, what is left to be done, its event and the message
 * to its owner, in one transaction with its money.
 */
import type { TaskWordedReason } from "../contract/operator/upstream-reason.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import { assert } from "../kernel/assert.ts";
import { newUuid, type Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import type { TaskErrorCode } from "../contract/task-error-codes.ts";
import {
  TASK_PHASES,
  type NewEvent,
  type TaskKey,
  type TaskPhase,
  type TaskResult,
  type UpstreamCost,
} from "./task-record.ts";
import { addEvents } from "./tasks.store.ts";
import { reasonDetail } from "./reason-detail.ts";

export type TaskEnd =
  | {
      readonly state: "completed";
      readonly result: TaskResult;
      /** At most its price; the caller charges it in the same transaction. */
      readonly chargedNano: Nano;
      readonly upstreamCost: UpstreamCost | null;
    }
  | {
      /** The caller releases the hold in the same transaction. */
      readonly state: "failed";
      readonly code: TaskErrorCode;
      /** For its owner. */
      readonly message: string;
      /** For operators. */
      readonly why?: TaskWordedReason;
      /**
       * Goes on to ask the upstream after so long, though nothing of it is charged; null: nothing
       * is left to be done.
       */
      readonly watch: { readonly lane: string; readonly dueInMs: number } | null;
    };

export interface EndingTask extends TaskKey {
  /**
   * Under which it is ended; null: whatever lease there is, on the word of its owner or of an
   * operator.
   */
  readonly leaseId: Uuid | null;
  /** The step it must still be at. */
  readonly phase: TaskPhase;
  readonly end: TaskEnd;
}

const HELD_BY =
  "account_id = $1 AND task_id = $2 AND ($3::uuid IS NULL OR lease_id = $3) AND phase = $4";
const HELD_BY_PARAMETERS = [
  sql.uuid,
  sql.uuid,
  sql.nullable(sql.uuid),
  sql.enumOf("tasks.phase", TASK_PHASES),
] as const;
const FINISH = statement({
  text: `
  WITH job AS (DELETE FROM tasks.jobs WHERE ${HELD_BY} RETURNING account_id, task_id),
  unheard AS (DELETE FROM directory.attempts a USING job WHERE a.account_id = job.account_id AND a.task_id = job.task_id)
  SELECT true AS done FROM job`,
  parameters: HELD_BY_PARAMETERS,
  row: { done: sql.bool },
});
const WATCH = statement({
  text: `
  UPDATE tasks.jobs SET phase = 'watching', phase_at = clock_timestamp(), lane = $5, due_at = clock_timestamp() + $6 * interval '1 millisecond',
    lease_id = NULL, woken = false, tries = 0, progress = NULL, queue_position = NULL
  WHERE ${HELD_BY} RETURNING true AS done`,
  parameters: [...HELD_BY_PARAMETERS, sql.text, sql.float8],
  row: { done: sql.bool },
});

const COMPLETE = statement({
  text: `
  UPDATE tasks.tasks SET state = 'completed', cost_state = 'charged', completed_at = clock_timestamp(),
    result = $3, charged_nano = $4, upstream_cost = $5
  WHERE account_id = $1 AND task_id = $2 RETURNING callback_url AS "callbackUrl"`,
  parameters: [sql.uuid, sql.uuid, sql.json, sql.int8, sql.nullable(sql.json)],
  row: { callbackUrl: sql.nullable(sql.text) },
});
const FAIL = statement({
  text: `
  UPDATE tasks.tasks SET state = 'failed', cost_state = 'released', completed_at = clock_timestamp(), error_code = $3, error_message = $4
  WHERE account_id = $1 AND task_id = $2 RETURNING callback_url AS "callbackUrl"`,
  parameters: [sql.uuid, sql.uuid, sql.text, sql.text],
  row: { callbackUrl: sql.nullable(sql.text) },
});
const TELL_OWNER = statement({
  text: "INSERT INTO tasks.webhooks (account_id, webhook_id, task_id, url) VALUES ($1, $2, $3, $4)",
  parameters: [sql.uuid, sql.uuid, sql.uuid, sql.text],
});

/**
 * False: it is not at this step any more, or another process's by now; nothing was changed, and no
 * money may be moved.
 */
export async function endTask(
  tx: Queryable,
  { accountId, taskId, leaseId, phase, end }: EndingTask,
): Promise<boolean> {
  const watch = end.state === "failed" ? end.watch : null;
  const held = [accountId, taskId, leaseId, phase] as const;
  const ended = await (watch === null
    ? tx.run(FINISH, held)
    : tx.run(WATCH, [...held, watch.lane, watch.dueInMs]));
  if (ended.length === 0) return false;
  const [task] = await (end.state === "completed"
    ? tx.run(COMPLETE, [
        accountId,
        taskId,
        JSON.stringify(end.result),
        end.chargedNano,
        jsonOf(end.upstreamCost),
      ])
    : tx.run(FAIL, [accountId, taskId, end.code, end.message]));
  assert(task !== undefined, "a job belongs to a task");
  await addEvents(tx, { accountId, taskId }, eventsOf(end));
  if (task.callbackUrl !== null)
    await tx.run(TELL_OWNER, [accountId, newUuid(), taskId, task.callbackUrl]);
  return true;
}

function eventsOf(end: TaskEnd): NewEvent[] {
  if (end.state === "completed")
    return [{ kind: "completed", detail: { files: end.result.files.length } }];
  const failed: NewEvent = { kind: "failed", detail: { code: end.code, message: end.message } };
  return end.why === undefined
    ? [failed]
    : [{ kind: "reason", detail: reasonDetail(end.why) }, failed];
}

function jsonOf(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}
