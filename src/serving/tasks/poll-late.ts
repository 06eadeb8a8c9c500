/**
 * Looks now and then at what became of a task at its upstream after it had failed here by our
 * deadline. Nothing of it changes the task or its money any more; an operator hears that the
 * upstream may want to be paid.
 */
import { reasonDetail } from "../../tasks/reason-detail.ts";
import { jittered } from "../../kernel/backoff.ts";
import { endWatch } from "../../tasks/follow.store.ts";
import type { NewEvent } from "../../tasks/task-record.ts";
import type { TaskHandle } from "../../upstreams/tasks/task-adapter.ts";
import { withDeadline } from "./advance-call.ts";
import type { EngineParts } from "./advance-deps.ts";
import type { Lease } from "./advance-lease.ts";
import { LOST, putOff } from "./advance-outcome.ts";
import { counterpartOf, handleOf, type Counterpart } from "./advance-target.ts";

const MINUTE_MS = 60_000;
export const FIRST_WATCH_MS = MINUTE_MS;
/** Between looks: the one after so many. */
const WAITS_MS = [5 * MINUTE_MS, 15 * MINUTE_MS, 30 * MINUTE_MS];
const LATER_MS = 60 * MINUTE_MS;
const WATCH_FOR_MS = 24 * 60 * MINUTE_MS;
const CALL_MS = 60_000;

/** `watching` → over, or the same later. Returns a word for the metrics. */
export async function watchLate(parts: EngineParts, lease: Lease): Promise<string> {
  const { task } = lease;
  const counterpart = counterpartOf(parts, task);
  const handle = "reason" in counterpart ? null : await findHandle(parts, lease, counterpart);
  if (handle !== null && !("reason" in counterpart)) {
    const { adapter, target } = counterpart;
    const outcome = await withDeadline(lease.signal, CALL_MS, (signal) =>
      adapter.poll(target, handle, signal),
    );
    if (outcome.kind === "succeeded") {
      const over = await finish(parts, lease, {
        kind: "late_end",
        detail: { outcome: "succeeded", cost: outcome.cost },
      });
      const { taskId, upstream } = task;
      if (over)
        parts.onAlert({
          kind: "late_success",
          taskId,
          upstream: upstream ?? "",
          cost: outcome.cost,
        });
      return over ? "late_success" : LOST;
    }
    if (outcome.kind === "failed") {
      const detail = { outcome: "failed", code: outcome.code, ...reasonDetail(outcome) };
      return (await finish(parts, lease, { kind: "late_end", detail })) ? "late_failure" : LOST;
    }
  }
  if (task.phaseMs >= WATCH_FOR_MS)
    return (await finish(parts, lease, { kind: "watch_over" })) ? "over" : LOST;
  const dueInMs = jittered(WAITS_MS[task.tries] ?? LATER_MS, parts.random);
  return (await putOff(parts, lease, { dueInMs, tries: task.tries + 1 })) ? "watching" : LOST;
}

/**
 * Null where the upstream's answer to the submission never came, and a look-up does not find the
 * task either.
 */
async function findHandle(
  parts: EngineParts,
  { task, signal }: Lease,
  { adapter, target }: Counterpart,
): Promise<TaskHandle | null> {
  const handle = handleOf(task, parts.clock.now());
  const { attemptId } = task;
  if (handle !== null || attemptId === null) return handle;
  const found = await withDeadline(signal, CALL_MS, async (limited) =>
    adapter.lookUp?.(target, attemptId, limited),
  );
  return found?.kind === "found" ? found.handle : null;
}

function finish(parts: EngineParts, { task }: Lease, event: NewEvent): Promise<boolean> {
  const { accountId, taskId, leaseId } = task;
  return parts.db.transaction((tx) => endWatch(tx, { accountId, taskId, leaseId, event }));
}
