/** `tollgate tasks retry`: has a task looked at now. */
import { commandActor } from "../../business/operate/operator.ts";
import type { Command } from "../command.ts";
import { done, failed } from "../command.ts";
import { TASK_HINT } from "../task-words.ts";
import { withDb } from "../with-db.ts";

export const tasksRetry: Command = {
  name: "tasks retry",
  summary:
    "Do a task's next step now instead of later, and send its undelivered webhook once more; nothing is ever submitted twice",
  positionals: [{ name: "ID", help: "the task's id" }],
  options: {},
  async run({ positionals, deps }) {
    const id = (positionals["ID"] ?? "").trim().toLowerCase();
    const { retryAndRecord } = await import("../../business/operate/act-on-task.ts");
    const outcome = await withDb(deps, (db) =>
      retryAndRecord(db, commandActor(deps.user), id, null),
    );
    if (outcome.kind === "missing") return failed(`"${id}" ${TASK_HINT}`);
    const { task, phase, webhooks } = outcome;
    if (phase === null && webhooks === 0)
      return failed(
        `the task is ${task.state}: nothing is left to be done. A failed task is ordered anew`,
      );
    const lines = [
      ...(phase === null ? [] : [`its step "${phase}" is due now`]),
      ...(webhooks === 0 ? [] : [`${webhooks} webhook is sent once more`]),
    ];
    return done(
      { taskId: task.taskId, state: task.state, phase, webhooks },
      `${task.taskId}: ${lines.join(", ")}`,
    );
  },
};
