/**
 * `tollgate tasks reconcile`: holds tasks against the ledger, and names what an operator should
 * look at.
 */
import { alignColumns } from "../align-columns.ts";
import type { Command, Outcome } from "../command.ts";
import { done } from "../command.ts";
import { detailWords } from "../task-words.ts";
import { withDb } from "../with-db.ts";

export const tasksReconcile: Command = {
  name: "tasks reconcile",
  summary:
    "Compare every task with its money; exit code 1 names those that do not agree. Tells of doubtful ones besides: unknown submissions, late ends",
  positionals: [],
  options: {},
  async run({ deps }): Promise<Outcome> {
    const { reconcileTasks } = await import("../../serving/tasks/reconcile-tasks.ts");
    const { mistakes, doubtful } = await withDb(deps, reconcileTasks);
    const json = {
      ok: mistakes.length === 0,
      mistakes,
      doubtful: doubtful.map(({ at, ...rest }) => ({ ...rest, at: at.toISOString() })),
    };
    const doubts = doubtful.map(({ kind, taskId, upstream, at, detail }) => [
      kind,
      taskId,
      upstream ?? "-",
      `${at.toISOString().slice(0, 19)}Z`,
      detail === null ? "" : detailWords(detail),
    ]);
    const lines =
      doubts.length === 0
        ? []
        : [
            "",
            "To be looked at:",
            ...alignColumns([["WHAT", "TASK", "UPSTREAM", "SINCE", "MORE"], ...doubts]),
          ];
    if (mistakes.length === 0) return done(json, ["Tasks and ledger agree.", ...lines].join("\n"));
    const table = alignColumns([
      ["WHAT", "TASK", "EXPECTED", "FOUND"],
      ...mistakes.map(({ kind, taskId, expected, found }) => [kind, taskId, expected, found]),
    ]);
    return {
      kind: "bad",
      json,
      text: [...table, `${mistakes.length} tasks do not agree with the ledger.`, ...lines].join(
        "\n",
      ),
    };
  },
};
