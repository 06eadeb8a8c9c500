/**
 * A task as operators see it: where it was made and what it cost besides what its owner is shown.
 */
import type { OperatorTask } from "../../contract/panel/operator-tasks.ts";
import { formatRoubles } from "../../kernel/money.ts";
import type { TaskRecord } from "../../tasks/task-record.ts";

export function anyTaskView(task: TaskRecord): OperatorTask {
  return {
    taskId: task.taskId,
    accountId: task.accountId,
    model: task.model,
    state: task.state,
    phase: task.phase,
    progress: task.progress,
    createdAt: task.createdAt.toISOString(),
    startedAt: task.startedAt?.toISOString() ?? null,
    completedAt: task.completedAt?.toISOString() ?? null,
    deadlineAt: task.deadlineAt.toISOString(),
    upstream: task.upstream,
    upstreamModel: task.upstreamModel,
    attempts: task.attempts,
    price: formatRoubles(task.priceNano),
    charged: task.chargedNano === null ? null : formatRoubles(task.chargedNano),
    upstreamCost: task.upstreamCostNano === null ? null : formatRoubles(task.upstreamCostNano),
    errorCode: task.error?.code ?? null,
    errorMessage: task.error?.message ?? null,
  };
}
