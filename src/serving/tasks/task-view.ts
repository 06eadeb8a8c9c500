/**
 * A task as its owner is shown it (contract §7): nothing of where it was made, and money as the
 * ledger has it.
 */
import { CURRENCY } from "../../contract/enums/currency.ts";
import type { CostState, TaskState } from "../../contract/enums/task-state.ts";
import { formatRoubles, type Nano } from "../../kernel/money.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { TaskErrorCode } from "../../contract/task-error-codes.ts";
import type { ResultFile, TaskRecord } from "../../tasks/task-record.ts";

/** Times are ISO 8601 UTC. */
export interface TaskView {
  readonly taskId: Uuid;
  readonly model: string;
  readonly state: TaskState;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  /** 0 to 1. */
  readonly progress: number | null;
  readonly queuePosition: number | null;
  readonly result: { readonly files: readonly TaskFileView[] } | null;
  readonly error: { readonly code: TaskErrorCode; readonly message: string } | null;
  readonly cost: TaskCostView;
  readonly input: Readonly<Record<string, unknown>>;
  readonly cancelRequestedAt: string | null;
  readonly deadlineAt: string;
}

export interface TaskFileView extends Omit<ResultFile, "name"> {
  readonly url: string;
}

export interface TaskCostView {
  /**
   * Of what the state says: what is held, what was charged, what was given back. Decimal roubles.
   */
  readonly amount: string;
  readonly currency: typeof CURRENCY;
  readonly state: CostState;
}

/** `staticUrl` has no slash at its end. */
export function taskView(task: TaskRecord, staticUrl: string): TaskView {
  const ended = task.completedAt !== null;
  return {
    taskId: task.taskId,
    model: task.model,
    state: task.state,
    createdAt: task.createdAt.toISOString(),
    startedAt: task.startedAt?.toISOString() ?? null,
    completedAt: task.completedAt?.toISOString() ?? null,
    progress: task.state === "completed" ? 1 : ended ? null : task.progress,
    queuePosition: ended ? null : task.queuePosition,
    result:
      task.result === null
        ? null
        : { files: task.result.files.map((file) => fileView(file, staticUrl)) },
    error: task.error,
    cost: { amount: formatRoubles(costNano(task)), currency: CURRENCY, state: task.costState },
    input: task.parameters,
    cancelRequestedAt: task.cancelRequestedAt?.toISOString() ?? null,
    deadlineAt: task.deadlineAt.toISOString(),
  };
}

/** A cheaper result than was ordered is charged less than was held. */
function costNano({ costState, chargedNano, priceNano }: TaskRecord): Nano {
  return costState === "charged" ? (chargedNano ?? priceNano) : priceNano;
}

function fileView({ name, ...file }: ResultFile, staticUrl: string): TaskFileView {
  return { url: `${staticUrl}/${name}`, ...file };
}
