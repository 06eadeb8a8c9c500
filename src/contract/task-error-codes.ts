/** Why a task failed, as its owner is told; the list is closed (contract §7). */

export const TASK_ERROR_CODES = [
  "invalid_input",
  "input_unreachable",
  "input_rejected",
  "storage_quota_exceeded",
  "content_blocked",
  "provider_rejected",
  "provider_error",
  "provider_timeout",
  "result_expired",
  "canceled",
  "internal",
] as const;
export type TaskErrorCode = (typeof TASK_ERROR_CODES)[number];
