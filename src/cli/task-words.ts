/** Tasks as the commands show them: to programs and to people. */
import { formatRoubles } from "../kernel/money.ts";
import type { TaskRecord } from "../tasks/task-record.ts";

export function taskForPrograms(task: TaskRecord): object {
  const { error, upstreamCost, upstreamCostNano } = task;
  return {
    taskId: task.taskId,
    accountId: task.accountId,
    keyId: task.keyId,
    model: task.model,
    parameters: task.parameterTable,
    state: task.state,
    phase: task.phase,
    createdAt: task.createdAt.toISOString(),
    startedAt: task.startedAt?.toISOString() ?? null,
    completedAt: task.completedAt?.toISOString() ?? null,
    deadlineAt: task.deadlineAt.toISOString(),
    cost: { ...moneyOf(task), state: task.costState },
    upstream: task.upstream,
    upstreamModel: task.upstreamModel,
    attempts: task.attempts,
    attemptId: task.attemptId,
    upstreamCost,
    upstreamCostRoubles: upstreamCostNano === null ? null : formatRoubles(upstreamCostNano),
    error,
    files: task.result?.files.length ?? 0,
    callbackUrl: task.callbackUrl,
  };
}

export function moneyOf({ priceNano, chargedNano }: TaskRecord): {
  readonly price: string;
  readonly charged: string | null;
} {
  return {
    price: formatRoubles(priceNano),
    charged: chargedNano === null ? null : formatRoubles(chargedNano),
  };
}

/** What is told of an event; its code stands in the answer for programs. */
export function detailWords(detail: object | undefined): string {
  return JSON.stringify({ ...detail, coded: undefined });
}

export const TASK_HINT = "is not a task's id; `tollgate tasks list` shows them";
