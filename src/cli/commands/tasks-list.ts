/** `tollgate tasks list`: lists tasks, of all accounts or of one. */
import { TASK_STATES } from "../../contract/enums/task-state.ts";
import { LIST_PAGE_MAX } from "../../kernel/limits.ts";
import type { TaskRecord } from "../../tasks/task-record.ts";
import { alignColumns } from "../align-columns.ts";
import type { Command } from "../command.ts";
import { done, usage } from "../command.ts";
import { ACCOUNT_HINT, readAccountId, readWholeNumber } from "../read-values.ts";
import { moneyOf, taskForPrograms } from "../task-words.ts";
import { withDb } from "../with-db.ts";

const DEFAULT_LIMIT = 50;

export const tasksList: Command = {
  name: "tasks list",
  summary: "Tasks, newest first, with their state and their money",
  positionals: [],
  options: {
    account: { value: "ACCOUNT", help: "only those of this account" },
    state: { value: "STATE", help: `only those in this state: ${TASK_STATES.join(", ")}` },
    model: { value: "MODEL", help: "only those of this model" },
    limit: { value: "N", help: `how many, ${DEFAULT_LIMIT} by default, ${LIST_PAGE_MAX} at most` },
  },
  async run({ options, deps }) {
    const account = options.get("account");
    const accountId = account === undefined ? null : readAccountId(account);
    if (account !== undefined && accountId === null) return usage(`"${account}" ${ACCOUNT_HINT}`);
    const wanted = options.get("state");
    const state = TASK_STATES.find((each) => each === wanted) ?? null;
    if (wanted !== undefined && state === null)
      return usage(`--state: one of ${TASK_STATES.join(", ")} is expected, not "${wanted}"`);
    const limit = readWholeNumber(options.get("limit") ?? String(DEFAULT_LIMIT), 1, LIST_PAGE_MAX);
    if (limit === null)
      return usage(`--limit: a whole number from 1 to ${LIST_PAGE_MAX} is expected`);
    const { listAnyTasks } = await import("../../serving/tasks/operate-task.ts");
    const page = await withDb(deps, (db) =>
      listAnyTasks(db, { accountId, state, model: options.get("model") ?? null, limit }),
    );
    if (page.rows.length === 0) return done([], "There are no such tasks.");
    const header = [
      "TASK",
      "MODEL",
      "STATE",
      "STEP",
      "PRICE",
      "CHARGED",
      "CREATED",
      "UPSTREAM",
      "ERROR",
    ];
    const more = page.next === null ? [] : [`The newest ${limit}; --limit shows more.`];
    return done(
      page.rows.map(taskForPrograms),
      [...alignColumns([header, ...page.rows.map(forPeople)], new Set([4, 5])), ...more].join("\n"),
    );
  },
};

function forPeople(task: TaskRecord): string[] {
  const { price, charged } = moneyOf(task);
  return [
    task.taskId,
    task.model,
    task.state,
    task.phase ?? "-",
    price,
    charged ?? "-",
    `${task.createdAt.toISOString().slice(0, 19)}Z`,
    task.upstream ?? "-",
    task.error?.code ?? "",
  ];
}
