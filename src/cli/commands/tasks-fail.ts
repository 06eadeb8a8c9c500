/** `tollgate tasks fail`: ends a task by hand. */
import { commandActor } from "../../business/operate/operator.ts";
import type { Command } from "../command.ts";
import { done, failed, usage } from "../command.ts";
import { moneyOf, taskForPrograms, TASK_HINT } from "../task-words.ts";
import { withDb } from "../with-db.ts";

/** As in the panel. */
const LONGEST_REASON = 500;

export const tasksFail: Command = {
  name: "tasks fail",
  summary:
    "End a task that has not ended, and give its money back; its upstream is still asked for a day what became of it",
  positionals: [{ name: "ID", help: "the task's id" }],
  options: {
    reason: { value: "TEXT", help: "why, for the task's history; its owner does not see it" },
  },
  async run({ positionals, options, deps }) {
    const id = (positionals["ID"] ?? "").trim().toLowerCase();
    const given = options.get("reason")?.trim() ?? "";
    if (given.length > LONGEST_REASON)
      return usage(`--reason: ${LONGEST_REASON} characters at most are expected`);
    const reason = given === "" ? null : given;
    const shownReason = reason ?? `ended by ${deps.user}`;
    const { failAndRecord } = await import("../../business/operate/act-on-task.ts");
    const outcome = await withDb(deps, (db) =>
      failAndRecord(db, commandActor(deps.user), id, { reason, shownReason }),
    );
    switch (outcome.kind) {
      case "missing":
        return failed(`"${id}" ${TASK_HINT}`);
      case "ended-before":
        return failed(`the task is ${outcome.task.state} already; what has ended stays as it is`);
      case "failed": {
        const { task, mismatch } = outcome;
        const doubt = mismatch
          ? " But the ledger told another story: run `tollgate tasks reconcile`."
          : "";
        return done(
          { ...taskForPrograms(task), mismatch },
          `${task.taskId} has failed; ${moneyOf(task).price} RUB are available again.${doubt}`,
        );
      }
    }
  },
};
