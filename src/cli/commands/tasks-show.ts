/** `tollgate tasks show`: all that is known of one task. */
import type { InspectedTask } from "../../serving/tasks/operate-task.ts";
import { alignColumns } from "../align-columns.ts";
import type { Command } from "../command.ts";
import { done, failed } from "../command.ts";
import { detailWords, moneyOf, taskForPrograms, TASK_HINT } from "../task-words.ts";
import { withDb } from "../with-db.ts";

export const tasksShow: Command = {
  name: "tasks show",
  summary: "One task: what was ordered, where it was made, what happened, its money, its webhooks",
  positionals: [{ name: "ID", help: "the task's id" }],
  options: {},
  async run({ positionals, deps }) {
    const id = (positionals["ID"] ?? "").trim().toLowerCase();
    const { inspectTask } = await import("../../serving/tasks/operate-task.ts");
    const found = await withDb(deps, (db) => inspectTask(db, id));
    if (found === null) return failed(`"${id}" ${TASK_HINT}`);
    const { task, events, deliveries } = found;
    const json = {
      ...taskForPrograms(task),
      input: task.parameters,
      result: task.result,
      handle: task.handle,
      events: events.map(({ seq, at, kind, detail }) => ({
        seq: String(seq),
        at: at.toISOString(),
        kind,
        detail: detail ?? null,
      })),
      deliveries,
    };
    return done(json, describe(found));
  },
};

function describe({ task, events, deliveries }: InspectedTask): string {
  const { price, charged } = moneyOf(task);
  const rows: (readonly [string, string])[] = [
    ["task", task.taskId],
    ["account", task.accountId],
    ["model", `${task.model} (${task.parameterTable})`],
    ["state", task.phase === null ? task.state : `${task.state}, next step: ${task.phase}`],
    ["created", task.createdAt.toISOString()],
    ["started", task.startedAt?.toISOString() ?? "-"],
    ["completed", task.completedAt?.toISOString() ?? "-"],
    ["deadline", task.deadlineAt.toISOString()],
    [
      "money",
      `${price} RUB ${task.costState}${charged === null || charged === price ? "" : `, ${charged} RUB of it charged`}`,
    ],
    [
      "upstream",
      task.upstream === null
        ? "-"
        : `${task.upstream}/${task.upstreamModel ?? "?"}, submission ${task.attempts}`,
    ],
    ["error", task.error === null ? "-" : `${task.error.code}: ${task.error.message}`],
    ["files", task.result?.files.map(({ name }) => name).join(", ") ?? "-"],
    ["input", JSON.stringify(task.parameters)],
    ...events.map(({ at, kind, detail }): readonly [string, string] => [
      at.toISOString(),
      detail === undefined || detail === null ? kind : `${kind} ${detailWords(detail)}`,
    ]),
    ...deliveries.map(({ url, state, tries }): readonly [string, string] => [
      "webhook",
      `${state} after ${tries.length} tries, ${url}`,
    ]),
  ];
  return alignColumns(rows).join("\n");
}
