/** What a stream of a task's events may tell. */

/** Those that the history of a task keeps. */
export const TASK_MOMENTS = [
  "queued",
  "processing",
  "cancel_requested",
  "cancel_refused",
  "completed",
  "failed",
] as const;

/** `progress` only says that it is being made still. */
export const TASK_EVENTS = [...TASK_MOMENTS, "progress"] as const;
export type TaskEventName = (typeof TASK_EVENTS)[number];
