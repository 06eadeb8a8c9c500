/** How far a batch is. */
export const BATCH_STATES = [
  "validating",
  "in_progress",
  "cancelling",
  "finalizing",
  "completed",
  "failed",
  "expired",
  "cancelled",
] as const;
export type BatchState = (typeof BATCH_STATES)[number];

/** Whose protocol it was sent in. */
export const BATCH_SHAPES = ["openai", "anthropic"] as const;
export type BatchShape = (typeof BATCH_SHAPES)[number];
