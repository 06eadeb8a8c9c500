/**
 * What happens to a task, as its owner hears it while it happens: every change in order, once, from
 * any point on; how far it is in between.
 */
import type { TaskEventKind, TaskEventName } from "../../contract/enums/task-event.ts";
import type { Queryable } from "../../db/database.ts";
import { assert } from "../../kernel/assert.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { TaskEvent, TaskKey, TaskRecord } from "../../tasks/task-record.ts";
import { eventsAfter, findTask } from "../../tasks/tasks.store.ts";
import { taskView } from "./task-view.ts";
import type { TaskWatch, TaskWatcher } from "./watch-task.ts";

export interface FollowTaskDeps {
  readonly db: Queryable;
  readonly watch: TaskWatch;
  staticUrl(): string;
}

export interface TaskNotice {
  /** Where to go on after it; null: it is not kept, and not told again. */
  readonly id: string | null;
  readonly event: TaskEventName;
  /** Of `completed` and `failed`: the task as `GET /v1/tasks/{id}` shows it. */
  readonly data: object;
}

export type Following =
  | { readonly kind: "missing" }
  /** There is nothing more to hear after that point. */
  | { readonly kind: "over" }
  /**
   * To be gone through once, or given up by its signal: it takes one of the places for watchers.
   */
  | { readonly kind: "events"; follow(signal: AbortSignal): AsyncGenerator<TaskNotice> };

/** What of all that happens to a task its owner hears, and by which name. */
export const PUBLIC_TASK_EVENTS = {
  created: "queued",
  started: "processing",
  cancel_requested: "cancel_requested",
  cancel_refused: "cancel_refused",
  completed: "completed",
  failed: "failed",
} as const satisfies Partial<Record<TaskEventKind, TaskNotice["event"]>>;
type PublicKind = keyof typeof PUBLIC_TASK_EVENTS;
const PUBLIC_KINDS = Object.keys(PUBLIC_TASK_EVENTS) as readonly PublicKind[];
const AT_ONCE = 100;
/** A notification may be lost; this is how late its word comes then. */
const LOOK_AGAIN_MS = 10_000;
const LAST_EVENT_ID = /^\d{1,18}$/;

/**
 * `lastEventId`: the id of the last notice that was heard; null, or what is no id of this task's
 * notices, begins at the beginning: a caller that waited for what comes after it might never hear
 * the end. Throws what `TaskWatch.open` throws.
 */
export async function followTask(
  deps: FollowTaskDeps,
  call: { readonly accountId: Uuid; readonly taskId: string; readonly lastEventId: string | null },
): Promise<Following> {
  const task = await findTask(deps.db, call.accountId, call.taskId);
  if (task === null) return { kind: "missing" };
  const seq = await heardUpTo(deps.db, task, call.lastEventId);
  if (task.completedAt !== null && (await newEvents(deps.db, task, seq, 1)).length === 0)
    return { kind: "over" };
  const watcher = deps.watch.open(call.accountId, task.taskId);
  return { kind: "events", follow: (signal) => notices(deps, task, seq, watcher, signal) };
}

async function heardUpTo(db: Queryable, key: TaskKey, lastEventId: string | null): Promise<bigint> {
  if (lastEventId === null || !LAST_EVENT_ID.test(lastEventId)) return 0n;
  const seq = BigInt(lastEventId);
  const [heard] = await newEvents(db, key, seq - 1n, 1);
  return heard?.seq === seq ? seq : 0n;
}

async function* notices(
  deps: FollowTaskDeps,
  { accountId, taskId }: TaskKey,
  after: bigint,
  watcher: TaskWatcher,
  signal: AbortSignal,
): AsyncGenerator<TaskNotice> {
  let seq = after;
  let shown = "";
  try {
    do {
      const events = await newEvents(deps.db, { accountId, taskId }, seq, AT_ONCE);
      // Read after its events, so that it is as far as they are.
      const task = await findTask(deps.db, accountId, taskId);
      assert(task !== null, "a task is never removed");
      for (const event of events) {
        seq = event.seq;
        const notice = noticeOf(event, task, deps.staticUrl());
        yield notice;
        if (notice.event === "completed" || notice.event === "failed") return;
      }
      const progress = progressOf(task);
      if (progress !== null && progress !== shown) {
        shown = progress;
        yield { id: null, event: "progress", data: JSON.parse(progress) as object };
      }
    } while (await watcher.next(LOOK_AGAIN_MS, signal));
  } finally {
    watcher.close();
  }
}

function newEvents(
  db: Queryable,
  { accountId, taskId }: TaskKey,
  seq: bigint,
  limit: number,
): Promise<TaskEvent[]> {
  return eventsAfter(db, { accountId, taskId, seq, kinds: PUBLIC_KINDS, limit });
}

function noticeOf({ seq, at, kind }: TaskEvent, task: TaskRecord, staticUrl: string): TaskNotice {
  const event = PUBLIC_TASK_EVENTS[kind as PublicKind];
  const id = String(seq);
  if (event === "completed" || event === "failed")
    return { id, event, data: taskView(task, staticUrl) };
  const state =
    event === "queued"
      ? "queued"
      : event === "processing" || task.startedAt !== null
        ? "processing"
        : "queued";
  return { id, event, data: { taskId: task.taskId, state, at: at.toISOString() } };
}

/** As JSON; null where there is nothing to say. */
function progressOf({
  taskId,
  state,
  progress,
  queuePosition,
  completedAt,
}: TaskRecord): string | null {
  if (completedAt !== null || (progress === null && queuePosition === null)) return null;
  return JSON.stringify({ taskId, state, progress, queuePosition });
}
