/** What the routes of tasks ask the use cases with, in the API and in the panel. */
import type { Db } from "../db/database.ts";
import type { Clock } from "../kernel/clock.ts";
import type { CallbackDesk } from "../serving/tasks/accept-callback.ts";
import type { TaskEndReport } from "../serving/tasks/advance-deps.ts";
import type { CreateTaskDeps } from "../serving/tasks/create-task.ts";
import type { FollowTaskDeps } from "../serving/tasks/follow-task.ts";
import type { ReadTaskDeps } from "../serving/tasks/read-task.ts";

export interface TaskRouteDeps extends CreateTaskDeps, ReadTaskDeps, FollowTaskDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly callbacks: Pick<CallbackDesk, "hear">;
  onEnded(report: TaskEndReport): void;
}
