/**
 * What an operator does with a task: has it looked at now, or ends it with its money given back;
 * with a row in the audit log.
 */
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { recordAction, type NewAction } from "./audit.store.ts";
import type { TaskFailed, TaskRetried } from "../../contract/panel/operator-tasks.ts";
import type { Db } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import type { TaskRecord } from "../../tasks/task-record.ts";
import {
  failByHand,
  retryTask,
  type EndedByHand,
  type Retried,
} from "../../serving/tasks/operate-task.ts";
import { anyTaskView } from "./any-task-view.ts";
import { actorOf, type Actor, type Operator } from "./operator.ts";

/** In the panel. Throws Fault("not_found"). */
export async function retryAnyTask(
  db: Db,
  operator: Operator,
  taskId: string,
  reason: string | null,
): Promise<TaskRetried> {
  const outcome = await retryAndRecord(db, actorOf(operator), taskId, reason);
  if (outcome.kind === "missing")
    throw new Fault("not_found", { message: "There is no such task." });
  return { phase: outcome.phase, webhooks: outcome.webhooks };
}

export function retryAndRecord(
  db: Db,
  actor: Actor,
  taskId: string,
  reason: string | null,
): Promise<Retried> {
  return retryTask(db, taskId, (tx, { task, phase, webhooks }) =>
    recordAction(tx, {
      ...about(actor, task, reason),
      action: "task.retry",
      before: null,
      after: { phase, webhooks },
    }),
  );
}

/** In the panel. Throws Fault: `not_found`, `conflict` where it has ended already. */
export async function failAnyTask(
  db: Db,
  operator: Operator,
  taskId: string,
  reason: string,
): Promise<TaskFailed> {
  const outcome = await failAndRecord(db, actorOf(operator), taskId, {
    reason,
    shownReason: `${operator.email}: ${reason}`,
  });
  switch (outcome.kind) {
    case "missing":
      throw new Fault("not_found", { message: "There is no such task." });
    case "ended-before":
      throw new Fault("conflict", sayRefusal("task_ended", { state: outcome.task.state }));
    case "failed":
      return { task: anyTaskView(outcome.task), mismatch: outcome.mismatch };
  }
}

/** `reason` is for the log, `told` for the task's own history. */
export function failAndRecord(
  db: Db,
  actor: Actor,
  taskId: string,
  { reason, shownReason }: { readonly reason: string | null; readonly shownReason: string },
): Promise<EndedByHand> {
  return failByHand(db, taskId, shownReason, (tx, task) =>
    recordAction(tx, {
      ...about(actor, task, reason),
      action: "task.fail",
      before: { state: task.state, phase: task.phase },
      after: { state: "failed", released: anyTaskView(task).price },
    }),
  );
}

function about(
  actor: Actor,
  task: TaskRecord,
  reason: string | null,
): Omit<NewAction, "action" | "before" | "after"> {
  return { ...actor, accountId: task.accountId, subject: task.taskId, reason };
}
