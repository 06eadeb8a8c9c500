/**
 * How far a task is, as its owner sees it, where the money of its price is, and what became of the
 * wish to cancel it.
 */

/** `completed` and `failed` are ends. */
export const TASK_STATES = ["queued", "processing", "completed", "failed"] as const;
export type TaskState = (typeof TASK_STATES)[number];

/** What of its price is where. */
export const COST_STATES = ["held", "charged", "released"] as const;
export type CostState = (typeof COST_STATES)[number];

/**
 * `canceled`: over, its price is available again. `requested`: its maker is asked to stop, which
 * may come too late. `ended`: nothing to cancel.
 */
export const CANCELLATIONS = ["canceled", "requested", "ended"] as const;
