/**
 * How steps end that do not go on: the task fails, or is put off; and what an operator hears of it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { backoffMs } from "../../kernel/backoff.ts";
import { moveTask, type LeasedTask } from "../../tasks/jobs.store.ts";
import { laneOf } from "../../tasks/lane.ts";
import type { NewEvent, TaskPhase } from "../../tasks/task-record.ts";
import { DATABASE_BACKOFF } from "../database-backoff.ts";
import type { EngineParts, TaskEndReport } from "./advance-deps.ts";
import type { Lease } from "./advance-lease.ts";
import { failTask, type Ending, type Failure } from "./settle-task.ts";

/** The lease did not count any more: nothing was changed. */
export const LOST = "lost";

type StepFailure = Omit<Failure, "accountId" | "taskId" | "leaseId" | "phase"> & {
  readonly phase?: TaskPhase;
};

/**
 * Fails the task from the step that it was leased at, or from `phase`, and gives its money back.
 * Returns the outcome's word.
 */
export async function failStep(
  parts: EngineParts,
  { task }: Lease,
  failure: StepFailure,
): Promise<string> {
  const { accountId, taskId, leaseId, phase } = task;
  const ending = await failTask(parts.db, { phase, ...failure, accountId, taskId, leaseId });
  return ended(parts, task, failure.code, ending) ? failure.code : LOST;
}

/** Whether the task ended here; if so, it is told. To be called when that is committed. */
export function ended(
  parts: Pick<EngineParts, "onAlert" | "onEnded">,
  { taskId, model }: Pick<LeasedTask, "taskId" | "model">,
  outcome: TaskEndReport["outcome"],
  ending: Ending,
): boolean {
  if (!ending.ended) return false;
  const { mismatch, chargedNano, releasedNano } = ending;
  if (mismatch !== null) parts.onAlert({ kind: "money", taskId, verdict: mismatch.kind });
  parts.onEnded({ model, outcome, chargedNano, releasedNano });
  return true;
}

export interface PutOff {
  /** Where the task is now, when that is not where it was leased. */
  readonly from?: TaskPhase;
  readonly to?: TaskPhase;
  readonly dueInMs: number;
  readonly tries: number;
  readonly events?: readonly NewEvent[];
}

/**
 * Ends the lease; the same step, or the one before it, is tried again later. False: the lease did
 * not count any more.
 */
export async function putOff(parts: EngineParts, { task }: Lease, what: PutOff): Promise<boolean> {
  const { accountId, taskId, leaseId } = task;
  const { from = task.phase, to = from, dueInMs, tries, events = [] } = what;
  const lane = laneOf(to, task);
  const step = { accountId, taskId, leaseId, from, to, lane, dueInMs, tries, events };
  const moved = await parts.db.transaction((tx) => moveTask(tx, step));
  if (moved && dueInMs === 0) parts.wake();
  return moved;
}

/**
 * For what an upstream said and will not say again: written as soon as the database can, unless the
 * engine is broken off.
 */
export async function steadily<T>(
  parts: Pick<EngineParts, "halt" | "onError" | "random">,
  write: () => Promise<T>,
): Promise<T> {
  for (let failed = 0; ; failed++) {
    try {
      return await write();
    } catch (error) {
      parts.onError(
        "an upstream's answer to a submission could not be written down; trying again",
        error,
      );
      if (parts.halt.aborted) throw error;
      // A stop does not wait for the pause: it gets the one try that is left.
      await sleep(backoffMs(failed, DATABASE_BACKOFF, parts.random), undefined, {
        signal: parts.halt,
      }).catch(() => undefined);
    }
  }
}
