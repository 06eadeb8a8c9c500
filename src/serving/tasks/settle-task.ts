/**
 * Ends tasks together with their money: one transaction changes the rows and ends the hold, or
 * neither.
 */
import type { TaskWordedReason } from "../../contract/operator/upstream-reason.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { minNano, ZERO_NANO, type Nano } from "../../kernel/money.ts";
import type { SettleVerdict } from "../../ledger/hold-verdicts.ts";
import { settleIn, type TaskReceipt } from "../../ledger/holds.store.ts";
import type { TaskErrorCode } from "../../contract/task-error-codes.ts";
import { endTask } from "../../tasks/end.store.ts";
import { findTask } from "../../tasks/tasks.store.ts";
import type {
  TaskKey,
  TaskPhase,
  TaskRecord,
  TaskResult,
  UpstreamCost,
} from "../../tasks/task-record.ts";

/**
 * What became of an end, and of the hold by it: `mismatch` says that the ledger told another story.
 */
export type Ending =
  | { readonly ended: false }
  | {
      readonly ended: true;
      readonly chargedNano: Nano;
      readonly releasedNano: Nano;
      readonly mismatch: SettleVerdict | null;
    };

export interface Failure extends TaskKey {
  /** Null: whatever lease there is, on an operator's word. */
  readonly leaseId: Uuid | null;
  /** The step it must still be at. */
  readonly phase: TaskPhase;
  readonly code: TaskErrorCode;
  /** For its owner; `FAILURE_MESSAGES` has the usual one. */
  readonly message?: string;
  /** For operators: may be a provider's own words. */
  readonly why?: TaskWordedReason;
  /** The upstream is still asked now and then, in this lane. */
  readonly watch?: { readonly lane: string; readonly dueInMs: number };
}

/** What owners of failed tasks hear. Never what a provider said. */
const FAILURE_MESSAGES: Readonly<Record<TaskErrorCode, string>> = {
  invalid_input: "The provider could not work with these parameters.",
  input_unreachable: "A file of the parameters could not be fetched.",
  input_rejected: "A file of the parameters breaks a rule of this model.",
  storage_quota_exceeded: "The files of this account take all the room it has.",
  content_blocked: "The content was blocked by the safety rules of the provider.",
  provider_rejected: "The provider refused the task.",
  provider_error: "The provider failed to make it.",
  provider_timeout: "The provider did not finish in time.",
  result_expired: "The provider finished, but its files could not be fetched.",
  canceled: "The task was canceled.",
  internal: "Something went wrong on our side.",
};

/**
 * Fails it and releases its hold. `ended: false`: it is not at this step any more; nothing was
 * changed.
 */
export function failTask(db: Pick<Db, "transaction">, failure: Failure): Promise<Ending> {
  return db.transaction((tx) => failIn(tx, failure));
}

/** The same, together with what else happens in the caller's transaction. */
export async function failIn(tx: Tx, failure: Failure): Promise<Ending> {
  const {
    accountId,
    taskId,
    leaseId,
    phase,
    code,
    message = FAILURE_MESSAGES[code],
    why,
    watch = null,
  } = failure;
  const end = {
    state: "failed",
    code,
    message,
    watch,
    ...(why === undefined ? {} : { why }),
  } as const;
  if (!(await endTask(tx, { accountId, taskId, leaseId, phase, end }))) return { ended: false };
  return settle(tx, failure, ZERO_NANO);
}

export interface Completion {
  readonly task: TaskRecord;
  readonly leaseId: Uuid;
  readonly result: TaskResult;
  readonly upstreamCost: UpstreamCost | null;
}

/** Completes a task whose results are being collected, and charges it. */
export async function completeIn(
  tx: Tx,
  { task, leaseId, result, upstreamCost }: Completion,
): Promise<Ending> {
  const { accountId, taskId } = task;
  const chargedNano = chargeFor(task, result.files.length);
  const end = { state: "completed", result, chargedNano, upstreamCost } as const;
  const phase = "collecting";
  if (!(await endTask(tx, { accountId, taskId, leaseId, phase, end }))) return { ended: false };
  return settle(tx, task, chargedNano);
}

/**
 * The price as it was quoted; where the number of files counts, for those that were made. Never
 * above the hold.
 */
function chargeFor(task: Pick<TaskRecord, "priceNano" | "priceByFilesNano">, files: number): Nano {
  const { priceNano, priceByFilesNano } = task;
  return minNano(priceNano, priceByFilesNano?.[files - 1] ?? priceNano);
}

/** What its entry says of a task that has just ended in this transaction. */
export async function receiptOfTask(
  tx: Tx,
  accountId: Uuid,
  taskId: Uuid,
): Promise<TaskReceipt | null> {
  const task = await findTask(tx, accountId, taskId);
  if (task === null) return null;
  const { model, createdAt, upstream, upstreamCostNano } = task;
  return task.state === "completed"
    ? { model, state: "completed", startedAt: createdAt, upstream, costNano: upstreamCostNano }
    : { model, state: "failed", startedAt: createdAt, upstream, costNano: null };
}

async function settle(
  tx: Tx,
  { accountId, taskId }: Pick<TaskRecord, "accountId" | "taskId">,
  chargeNano: Nano,
): Promise<Ending> {
  const verdict = await settleIn(
    tx,
    { accountId, holdId: taskId, chargeNano, lossNano: ZERO_NANO },
    await receiptOfTask(tx, accountId, taskId),
  );
  if (verdict.kind !== "settled")
    return { ended: true, chargedNano: ZERO_NANO, releasedNano: ZERO_NANO, mismatch: verdict };
  const { chargedNano, releasedNano } = verdict;
  return {
    ended: true,
    chargedNano,
    releasedNano,
    mismatch: chargedNano === chargeNano ? null : verdict,
  };
}
