/** What an operator does with a task in the panel: has it looked at now, or ends it with its money given back; with a row in the audit log. */
import { recordAction, type NewAction } from "../../audit/store.ts";
import type { TaskFailed, TaskRetried } from "../../contract/panel/operator-tasks.ts";
import type { Db } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import type { TaskRecord } from "../../tasks/task-record.ts";
import { failByHand, retryTask } from "../tasks/operate-task.ts";
import { anyTaskView } from "./any-task-view.ts";
import { actorOf, type Operator } from "./operator.ts";

/** Throws Fault("not_found"). */
export async function retryAnyTask(db: Db, operator: Operator, taskId: string, reason: string | null): Promise<TaskRetried> {
  const outcome = await retryTask(db, taskId, (tx, { task, phase, webhooks }) =>
    recordAction(tx, { ...about(operator, task, reason), action: "task.retry", before: null, after: { phase, webhooks } }),
  );
  if (outcome.kind === "missing") throw new Fault("not_found", { message: "There is no such task." });
  return { phase: outcome.phase, webhooks: outcome.webhooks };
}

/** Throws Fault: `not_found`, `conflict` where it has ended already. */
export async function failAnyTask(db: Db, operator: Operator, taskId: string, reason: string): Promise<TaskFailed> {
  const outcome = await failByHand(db, taskId, `${operator.email}: ${reason}`, (tx, task) =>
    recordAction(tx, {
      ...about(operator, task, reason),
      action: "task.fail",
      before: { state: task.state, phase: task.phase },
      after: { state: "failed", released: anyTaskView(task).price },
    }),
  );
  switch (outcome.kind) {
    case "missing":
      throw new Fault("not_found", { message: "There is no such task." });
    case "ended-before":
      throw new Fault("conflict", { message: `The task is ${outcome.task.state} already; what has ended stays as it is.` });
    case "failed":
      return { task: anyTaskView(outcome.task), mismatch: outcome.mismatch };
  }
}

function about(operator: Operator, task: TaskRecord, reason: string | null): Omit<NewAction, "action" | "before" | "after"> {
  return { ...actorOf(operator), accountId: task.accountId, subject: task.taskId, reason };
}
