/**
 * The tasks of all accounts for operators: listed, looked at one by one, and those that the
 * operator should look at.
 */
import type {
  OperatorTaskDetail,
  OperatorTaskList,
  StuckTasks,
} from "../../contract/panel/operator-tasks.ts";
import type { Db, Queryable } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import { findKeyMasks } from "../../keys/masks.store.ts";
import type { PageRequest } from "../../serving/read-page.ts";
import { inspectTask, listAnyTasks } from "../../serving/tasks/operate-task.ts";
import { findDoubtfulTasks, findTaskMistakes } from "../../serving/tasks/reconcile-tasks.store.ts";
import type { TaskPage } from "../../tasks/tasks.store.ts";
import { anyTaskView } from "./any-task-view.ts";
import { accountNames } from "./find-accounts.store.ts";

export async function listTasksOfAll(
  q: Queryable,
  query: PageRequest & Pick<TaskPage, "accountId" | "state" | "model">,
): Promise<OperatorTaskList> {
  const page = await listAnyTasks(q, query);
  const names = await accountNames(q, [...new Set(page.rows.map(({ accountId }) => accountId))]);
  return {
    data: page.rows.map((task) => ({
      ...anyTaskView(task),
      accountName: names.get(task.accountId) ?? null,
    })),
    nextCursor: page.next,
  };
}

/** Throws Fault("not_found"). `staticUrl` has no slash at its end. */
export async function readAnyTask(
  q: Queryable,
  taskId: string,
  staticUrl: string,
): Promise<OperatorTaskDetail> {
  const found = await inspectTask(q, taskId);
  if (found === null) throw new Fault("not_found", { message: "There is no such task." });
  const { task, events, deliveries } = found;
  const masks = await findKeyMasks(q, task.keyId === null ? [] : [task.keyId]);
  const names = await accountNames(q, [task.accountId]);
  return {
    ...anyTaskView(task),
    accountName: names.get(task.accountId) ?? null,
    keyMask: task.keyId === null ? null : (masks.get(task.keyId) ?? null),
    parameters: { ...task.parameters },
    files: (task.result?.files ?? []).map(({ name, contentType, bytes }) => ({
      url: `${staticUrl}/${name}`,
      contentType,
      bytes,
    })),
    events: events.map(({ at, kind, detail = null }) => ({ at: at.toISOString(), kind, detail })),
    deliveries: deliveries.map(({ id, url, state, tries }) => ({
      id,
      url,
      state,
      tries: tries.length,
    })),
  };
}

/**
 * `reconcile` holds every task against the ledger too, which takes a while where there are many.
 */
export async function findStuckTasks(db: Db, reconcile: boolean): Promise<StuckTasks> {
  const doubtful = await findDoubtfulTasks(db);
  const names = await accountNames(db, [...new Set(doubtful.map(({ accountId }) => accountId))]);
  return {
    doubtful: doubtful.map(({ at, ...doubt }) => ({
      ...doubt,
      accountName: names.get(doubt.accountId) ?? null,
      at: at.toISOString(),
    })),
    mistakes: reconcile ? await findTaskMistakes(db) : null,
  };
}
