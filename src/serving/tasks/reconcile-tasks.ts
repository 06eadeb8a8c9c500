/** Whether tasks and money agree, and which tasks an operator should look at. */
import type { Db } from "../../db/database.ts";
import {
  findDoubtfulTasks,
  findTaskMistakes,
  type DoubtfulTask,
  type TaskFinding,
} from "./reconcile-tasks.store.ts";

export interface Reconciliation {
  readonly mistakes: readonly TaskFinding[];
  readonly doubtful: readonly DoubtfulTask[];
}

/** Changes nothing. */
export async function reconcileTasks(db: Db): Promise<Reconciliation> {
  return { mistakes: await findTaskMistakes(db), doubtful: await findDoubtfulTasks(db) };
}
