/**
 * A task as a receipt of its account (the public Receipt of contract/): what was held and taken for
 * it, and nothing of where it was made.
 */
import { CURRENCY } from "../../contract/enums/currency.ts";
import { formatRoubles, ZERO_NANO } from "../../kernel/money.ts";
import type { TaskRecord } from "../../tasks/task-record.ts";
import type { ReceiptView } from "./receipt-view.ts";

export function taskReceiptView(task: TaskRecord, keyMask: string | null): ReceiptView {
  return {
    id: task.taskId,
    kind: "task",
    endpoint: "tasks",
    model: task.model,
    modelRequested: task.model,
    keyMask,
    stream: false,
    state: task.state,
    startedAt: task.createdAt.toISOString(),
    completedAt: task.completedAt?.toISOString() ?? null,
    timeToFirstTokenMs: null,
    finishReason: null,
    usage: null,
    priceVersion: task.priceVersion,
    held: formatRoubles(task.priceNano),
    charged: formatRoubles(task.chargedNano ?? ZERO_NANO),
    currency: CURRENCY,
    error: task.error,
  };
}
