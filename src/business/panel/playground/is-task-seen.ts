/** Whether a member sees a task: all do, but developers only those of keys of their own. */
import type { Queryable } from "../../../db/database.ts";
import { findTask } from "../../../tasks/tasks.store.ts";
import { isSeenBy, type KeyScope } from "../account/key-scope.ts";

/** True where nothing is hidden from the member, whether there is such a task or not. */
export async function isTaskSeen(q: Queryable, scope: KeyScope, taskId: string): Promise<boolean> {
  if (scope.ownerId === null) return true;
  const task = await findTask(q, scope.accountId, taskId);
  return task !== null && isSeenBy(q, scope, task.keyId);
}
