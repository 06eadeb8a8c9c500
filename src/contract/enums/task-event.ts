/** What happens to a task: for operators all of it, for its owner's stream of events a part. */

/**
 * Fit for their owners: `created`, `started`, `cancel_requested`, `cancel_refused`, `completed`,
 * `failed`. The details of all others are for operators: they may hold a provider's own words.
 */
export type TaskEventKind =
  | "created"
  /** Its media are in our storage and keep the rules. */
  | "media_taken"
  /** `{ attemptId, upstream, model }`; written before the call. */
  | "submitting"
  /** Certainly not taken there: `{ upstream, reason }`. */
  | "not_taken"
  | "submit_unknown"
  | "started"
  | "cancel_requested"
  /** The upstream would not stop it; it goes on. */
  | "cancel_refused"
  /** Done there. */
  | "collecting"
  /** `{ files }`: how many. */
  | "completed"
  /** Why it fails, for operators: `{ reason }`; comes before `failed`. */
  | "reason"
  /** `{ code, message }`. */
  | "failed"
  /** After it had failed here by its deadline: `{ outcome }`. */
  | "late_end"
  | "watch_over";

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
