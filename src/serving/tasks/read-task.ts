/** One task for its owner: as it is now, or as soon as it has ended. */
import type { Queryable } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { TaskRecord } from "../../tasks/task-record.ts";
import { findTask } from "../../tasks/tasks.store.ts";
import { taskView, type TaskView } from "./task-view.ts";
import type { TaskWatch } from "./watch-task.ts";

export interface ReadTaskDeps {
  readonly db: Queryable;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly watch: TaskWatch;
  staticUrl(): string;
}

export interface ReadTaskCall {
  readonly accountId: Uuid;
  readonly taskId: string;
  /** Waits so long for its end; 0 answers at once. */
  readonly waitMs: number;
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
}

/** A notification may be lost; this is how late its word comes then. */
const LOOK_AGAIN_MS = 10_000;

/**
 * Null for a task that does not exist and for another account's alike. Throws what `TaskWatch.open`
 * throws.
 */
export async function readTask(deps: ReadTaskDeps, call: ReadTaskCall): Promise<TaskView | null> {
  const first = await findTask(deps.db, call.accountId, call.taskId);
  if (first === null) return null;
  const task = call.waitMs > 0 && !hasEnded(first) ? await waitForEnd(deps, call, first) : first;
  return taskView(task, deps.staticUrl());
}

async function waitForEnd(
  deps: ReadTaskDeps,
  call: ReadTaskCall,
  first: TaskRecord,
): Promise<TaskRecord> {
  const { db, clock } = deps;
  const untilMs = clock.monotonicMs() + call.waitMs;
  const watcher = deps.watch.open(call.accountId, first.taskId);
  try {
    let task = first;
    for (;;) {
      // What happened before the watch began shows now.
      task = (await findTask(db, call.accountId, first.taskId)) ?? task;
      const leftMs = untilMs - clock.monotonicMs();
      if (hasEnded(task) || leftMs <= 0) return task;
      if (!(await watcher.next(Math.min(leftMs, LOOK_AGAIN_MS), call.signal))) return task;
    }
  } finally {
    watcher.close();
  }
}

function hasEnded(task: TaskRecord): boolean {
  return task.completedAt !== null;
}
