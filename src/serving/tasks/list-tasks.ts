/** An account's tasks, newest first, by cursor. */
import type { TaskState } from "../../contract/enums/task-state.ts";
import type { Queryable } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { listTasks as listRecords } from "../../tasks/tasks.store.ts";
import { readPage, type Page, type PageRequest } from "../read-page.ts";
import { taskView, type TaskView } from "./task-view.ts";

export interface TaskQuery extends PageRequest {
  readonly state: TaskState | null;
  readonly model: string | null;
}

export async function listTasks(
  deps: { readonly db: Queryable; staticUrl(): string },
  accountId: Uuid,
  query: TaskQuery,
): Promise<Page<TaskView>> {
  const { state, model } = query;
  const page = await readPage(
    query,
    (wanted) => listRecords(deps.db, { accountId, state, model, ...wanted }),
    ({ taskId }) => taskId,
  );
  const staticUrl = deps.staticUrl();
  return { ...page, rows: page.rows.map((task) => taskView(task, staticUrl)) };
}
