/**
 * Finds out what became of a submission whose answer never came: by the upstream's own word, or not
 * at all. It is never made again.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import { backoffMs, type Backoff } from "../../kernel/backoff.ts";
import { startTask } from "../../tasks/jobs.store.ts";
import { laneOf } from "../../tasks/lane.ts";
import type { TaskHandle } from "../../upstreams/tasks/task-adapter.ts";
import { withDeadline } from "./advance-call.ts";
import type { EngineParts } from "./advance-deps.ts";
import type { Lease } from "./advance-lease.ts";
import { failStep, LOST, putOff } from "./advance-outcome.ts";
import { counterpartOf, handleOf } from "./advance-target.ts";
import { ABSENT, callEnded } from "./routes-left.ts";
import { SUBMIT_MS } from "./submit-attempt.ts";
import { FIRST_WATCH_MS } from "./poll-late.ts";

/** So long the money stays held for a submission of which nothing is heard. */
const UNKNOWN_FOR_MS = 600_000;
/**
 * The engine that made the attempt has given up by then: what the upstream does not know now, it
 * will never know.
 */
const SURE_AFTER_MS = SUBMIT_MS + 20_000;
const RETRY: Backoff = { firstMs: 2_000, longestMs: 30_000 };
const CALL_MS = 60_000;

/** A task that was found `submitting`: the engine that made the attempt died, or lost it. */
export async function foundSubmitting(parts: EngineParts, lease: Lease): Promise<string> {
  const { taskId, upstream } = lease.task;
  const why = sayReason("submitter_ended");
  const events = [{ kind: "submit_unknown", detail: { upstream, ...why } }] as const;
  if (!(await putOff(parts, lease, { to: "submit_unknown", dueInMs: 0, tries: 0, events })))
    return LOST;
  parts.onAlert({ kind: "submit_unknown", taskId, upstream: upstream ?? "", reason: why.reason });
  return "unknown";
}

/**
 * `submit_unknown` → `running`, `ready` for another upstream, failed with its money back, or the
 * same again later. Returns a word for the metrics.
 */
export async function resolveUnknown(parts: EngineParts, lease: Lease): Promise<string> {
  const { task } = lease;
  const heard = handleOf(task, parts.clock.now());
  if (heard !== null) return start(parts, lease, heard);
  const counterpart = counterpartOf(parts, task);
  const { attemptId } = task;
  let untilSureMs = Infinity;
  if (!("reason" in counterpart) && attemptId !== null) {
    const { adapter, target } = counterpart;
    const found = await withDeadline(lease.signal, CALL_MS, async (signal) =>
      adapter.lookUp?.(target, attemptId, signal),
    );
    if (found?.kind === "found") return start(parts, lease, found.handle);
    if (found?.kind === "absent") {
      const graceMs = adapter.graceMsOf(counterpart.upstream);
      const sureAfterMs = (await callEnded(parts.db, task))
        ? graceMs
        : Math.max(SURE_AFTER_MS, graceMs);
      if (task.phaseMs >= sureAfterMs) return goElsewhere(parts, lease, counterpart.upstream.name);
      untilSureMs = sureAfterMs - task.phaseMs;
    }
  } else if ("reason" in counterpart) {
    const { reason } = counterpart;
    parts.onAlert({ kind: "operator", upstream: task.upstream ?? "", reason });
  }
  if (task.phaseMs >= UNKNOWN_FOR_MS) return giveUp(parts, lease);
  const patienceMs = Math.min(UNKNOWN_FOR_MS - task.phaseMs, untilSureMs);
  const dueInMs = Math.min(backoffMs(task.tries, RETRY, parts.random), patienceMs);
  return (await putOff(parts, lease, { dueInMs: Math.max(1, dueInMs), tries: task.tries + 1 }))
    ? "unknown"
    : LOST;
}

/**
 * The upstream never got it: another one is asked, or the task fails. It was submitted once, and
 * that came to nothing.
 */
async function goElsewhere(parts: EngineParts, lease: Lease, upstream: string): Promise<string> {
  const detail = { upstream, outcome: ABSENT, ...sayReason("task_not_known") };
  const events = [{ kind: "not_taken", detail }] as const;
  return (await putOff(parts, lease, { to: "ready", dueInMs: 0, tries: 0, events }))
    ? "absent"
    : LOST;
}

async function start(parts: EngineParts, { task }: Lease, handle: TaskHandle): Promise<string> {
  const { accountId, taskId, attemptId } = task;
  if (attemptId === null) return LOST;
  const lane = laneOf("running", task);
  const started = await parts.db.transaction((tx) =>
    startTask(tx, { accountId, taskId, attemptId, handle, lane, dueInMs: 0 }),
  );
  if (started) parts.wake();
  return started ? "found" : LOST;
}

/** The upstream may have it all the same: it is still looked for, and a callback is still heard. */
async function giveUp(parts: EngineParts, lease: Lease): Promise<string> {
  const { taskId, upstream } = lease.task;
  const watch = { lane: laneOf("watching", lease.task), dueInMs: FIRST_WATCH_MS };
  const why = sayReason("submission_not_known");
  const outcome = await failStep(parts, lease, { code: "provider_error", why, watch });
  if (outcome !== LOST) parts.onAlert({ kind: "submit_lost", taskId, upstream: upstream ?? "" });
  return outcome;
}
