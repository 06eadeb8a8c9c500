/**
 * Asks an upstream how a task fares. Only its own word that the task is over, or our deadline, ends
 * it: whatever else it says, it is asked again.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import { jittered } from "../../kernel/backoff.ts";
import type { PollNote } from "../../tasks/jobs.store.ts";
import { refuseCancel } from "../../tasks/follow.store.ts";
import { laneOf } from "../../tasks/lane.ts";
import type { PollOutcome } from "../../upstreams/tasks/task-adapter.ts";
import { DEFERRABLE } from "../routing/failure-rules.ts";
import { withDeadline } from "./advance-call.ts";
import type { EngineParts } from "./advance-deps.ts";
import type { Lease } from "./advance-lease.ts";
import { failStep, LOST, putOff } from "./advance-outcome.ts";
import { counterpartOf, handleOf, type Counterpart } from "./advance-target.ts";
import { nextPollMs } from "./poll-schedule.ts";
import { FIRST_WATCH_MS } from "./poll-late.ts";

const CALL_MS = 120_000;
/** So many looks in a row without a word are told to an operator. */
const SILENT_POLLS = 20;
const NO_COUNTERPART_MS = 30_000;
const SOONEST_MS = 1;

/** A note: nothing ended, and the lease ends when the note is written. A word: the step is over. */
export type PollEnd = PollNote | string;

/** `running` → `collecting`, failed with its money back, or `running` as before. */
export async function pollTask(parts: EngineParts, lease: Lease): Promise<PollEnd> {
  const { task } = lease;
  const counterpart = counterpartOf(parts, task);
  const handle = handleOf(task, parts.clock.now());
  if ("reason" in counterpart) return silent(parts, lease, null, counterpart);
  if (handle === null) return silent(parts, lease, null, sayReason("no_handle"));
  if (task.cancelRequested) {
    const canceled = await cancel(parts, lease, counterpart);
    if (canceled !== null) return canceled;
  }
  const { adapter, target, upstream } = counterpart;
  const outcome = await withDeadline(lease.signal, CALL_MS, (signal) =>
    adapter.poll(target, handle, signal),
  );
  switch (outcome.kind) {
    case "succeeded":
      return (await putOff(parts, lease, {
        to: "collecting",
        dueInMs: 0,
        tries: 0,
        events: [{ kind: "collecting" }],
      }))
        ? "succeeded"
        : LOST;
    case "failed":
      parts.onWords({
        taskId: task.taskId,
        upstream: upstream.name,
        step: "poll",
        outcome: outcome.code,
        words: outcome.reason,
      });
      return failStep(parts, lease, { code: outcome.code, why: outcome });
    case "running":
      return note(parts, lease, counterpart, {
        tries: 0,
        progress: outcome.progress,
        queuePosition: outcome.queuePosition,
      });
    case "busy":
      parts.health.credentialBusy(
        upstream.name,
        counterpart.credentialName,
        outcome.retryAfterMs ?? adapter.scheduleOf(upstream).minMs,
        DEFERRABLE,
      );
      return note(parts, lease, counterpart, {
        tries: task.tries,
        atLeastMs: outcome.retryAfterMs ?? 0,
      });
    case "operator":
    case "missing":
    case "unknown":
      return silent(parts, lease, counterpart, whyOf(outcome));
  }
}

function whyOf(
  outcome: Extract<PollOutcome, { kind: "operator" | "missing" | "unknown" }>,
): WordedReason {
  return outcome.kind === "missing" ? sayReason("task_not_known") : outcome;
}

function silent(
  parts: EngineParts,
  lease: Lease,
  counterpart: Counterpart | null,
  why: WordedReason,
): PollEnd | Promise<PollEnd> {
  const { taskId, upstream, tries } = lease.task;
  const { reason } = why;
  // Of many silent looks in a row the first.
  if (tries === 0)
    parts.onWords({
      taskId,
      upstream: upstream ?? "",
      step: "poll",
      outcome: "silent",
      words: reason,
    });
  if (tries + 1 === SILENT_POLLS)
    parts.onAlert({ kind: "silent", taskId, upstream: upstream ?? "", polls: tries + 1, reason });
  return note(parts, lease, counterpart, { tries: tries + 1, why });
}

interface Report {
  readonly tries: number;
  /** As before where it says nothing of them. */
  readonly progress?: number | null;
  readonly queuePosition?: number | null;
  readonly atLeastMs?: number;
  readonly why?: WordedReason;
}

/** It goes on, unless its time is over. */
function note(
  parts: EngineParts,
  lease: Lease,
  counterpart: Counterpart | null,
  reported: Report,
): PollEnd | Promise<PollEnd> {
  const { task } = lease;
  if (task.leftMs <= 0) return expire(parts, lease, reported.why);
  const { accountId, taskId, leaseId, phase, phaseMs, leftMs } = task;
  const {
    tries,
    progress = task.progress,
    queuePosition = task.queuePosition,
    atLeastMs = 0,
  } = reported;
  const schedule = counterpart?.adapter.scheduleOf(counterpart.upstream) ?? null;
  const usualMs =
    schedule === null
      ? jittered(NO_COUNTERPART_MS, parts.random)
      : nextPollMs(phaseMs, tries, schedule, parts.random);
  const dueInMs = Math.max(SOONEST_MS, Math.min(Math.max(usualMs, atLeastMs), leftMs));
  const changed = progress !== task.progress || queuePosition !== task.queuePosition;
  const held = { accountId, taskId, leaseId };
  return { ...held, phase, dueInMs, tries, progress, queuePosition, changed };
}

/**
 * It is failed and its money goes back. The upstream is still asked for a while: it may finish it,
 * and want to be paid.
 */
function expire(parts: EngineParts, lease: Lease, why: WordedReason | undefined): Promise<string> {
  const watch = { lane: laneOf("watching", lease.task), dueInMs: FIRST_WATCH_MS };
  return failStep(parts, lease, {
    code: "provider_timeout",
    watch,
    ...(why === undefined ? {} : { why }),
  });
}

/** Null: it goes on. */
async function cancel(
  parts: EngineParts,
  lease: Lease,
  { adapter, target }: Counterpart,
): Promise<string | null> {
  const { task } = lease;
  const handle = handleOf(task, parts.clock.now());
  const answer =
    handle === null || adapter.cancel === undefined
      ? "too_late"
      : await withDeadline(
          lease.signal,
          CALL_MS,
          async (signal) => (await adapter.cancel?.(target, handle, signal)) ?? "too_late",
        );
  if (answer === "canceled") return failStep(parts, lease, { code: "canceled" });
  // Asked again with the next look where no answer came.
  if (answer === "too_late") await parts.db.transaction((tx) => refuseCancel(tx, task));
  return null;
}
