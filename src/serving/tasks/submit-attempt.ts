/**
 * One attempt to give a task to an upstream: committed before the call, and what became of it
 * written down as far as it is certain.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import type { Model } from "../../catalogue/catalogue.ts";
import { priceTask } from "../../contract/price/price-task.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { moveTask, startTask } from "../../tasks/jobs.store.ts";
import { laneOf } from "../../tasks/lane.ts";
import { reasonDetail } from "../../tasks/reason-detail.ts";
import type { TaskPhase, TaskRecord } from "../../tasks/task-record.ts";
import type { SubmitOutcome, TaskHandle, TaskTarget } from "../../upstreams/tasks/task-adapter.ts";
import type { Credential } from "../routing/route-selection.ts";
import type { CallResult } from "../routing/try-routes.ts";
import { brokenAnswer, type UpstreamFailure } from "../routing/upstream-failure.ts";
import { withDeadline } from "./advance-call.ts";
import type { EngineParts } from "./advance-deps.ts";
import type { Lease } from "./advance-lease.ts";
import { failStep, LOST, putOff } from "./advance-outcome.ts";
import { firstPollMs } from "./poll-schedule.ts";
import type { ReadyTaskRoute } from "./submit-routes.ts";
import { turnMs } from "./submit-turn.ts";

/** For one call of an upstream, whatever its own timeouts say. */
export const SUBMIT_MS = 180_000;
/** The first look for a submission whose answer never came. */
const FIRST_LOOK_MS = 2_000;
/** Where a busy upstream does not say how long, or says no time at all. */
const BUSY_MS = 2_000;

export interface Attempt {
  /** With the parameters as they are submitted. */
  readonly record: TaskRecord;
  readonly ready: ReadyTaskRoute;
  readonly credential: Credential;
  readonly attemptId: Uuid;
}

/** An upstream had its word, and it was the last one. `word` is for the metrics. */
export interface Taken {
  readonly kind: "answered";
  readonly word: string;
}

export type AttemptResult = CallResult<Taken, string>;

/** `waitMs`: it is not its turn at this upstream, and nothing was changed. */
export function beginAttempt(
  parts: EngineParts,
  { task }: Lease,
  attempt: Attempt,
  from: TaskPhase,
): Promise<"begun" | "lost" | { readonly waitMs: number }> {
  const { record, ready, attemptId } = attempt;
  const { adapter, route, upstream } = ready;
  const { accountId, taskId, leaseId } = task;
  // Filled: a process that hears of this submission from a callback or a look-up alone has no
  // parameters to fill it with.
  const upstreamModel = adapter.modelOf(targetOf(attempt), record.parameters) ?? route.model;
  const lane = laneOf("submitting", task);
  const events = [
    { kind: "submitting", detail: { attemptId, upstream: upstream.name, model: upstreamModel } },
  ] as const;
  return parts.db.transaction(async (tx) => {
    const waitMs = await turnMs(tx, upstream, { task, random: parts.random });
    if (waitMs > 0) return { waitMs };
    const moved = await moveTask(tx, {
      accountId,
      taskId,
      leaseId,
      from,
      to: "submitting",
      lane,
      dueInMs: null,
      attempt: {
        attemptId,
        upstream: upstream.name,
        upstreamModel,
        credentialName: attempt.credential.name,
        upstreamCostNano: costOf(route, record),
      },
      events,
    });
    return moved ? "begun" : "lost";
  });
}

/** What the catalogue says that it costs us; null where it does not say. */
function costOf(
  { cost }: Extract<Model, { type: "task" }>["routes"][number],
  { parameters }: TaskRecord,
) {
  const quote = cost === null ? null : priceTask(cost, parameters);
  return quote?.kind === "priced" ? quote.amountNano : null;
}

/**
 * Goes on although the lease may end meanwhile: what the upstream answers is worth knowing all the
 * same.
 */
export async function sendAttempt(
  parts: EngineParts,
  attempt: Attempt,
  leftMs: number,
): Promise<SubmitOutcome> {
  const { record, ready, attemptId } = attempt;
  const submission = {
    parameters: record.parameters,
    attemptId,
    callbackUrl: parts.callbackUrl(ready.upstream.name, attemptId),
    deadlineSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
  };
  try {
    return await withDeadline(parts.halt, SUBMIT_MS, (signal) =>
      ready.adapter.submit(targetOf(attempt), submission, signal),
    );
  } catch (error) {
    // An adapter does not reject; if one does, it is unknown how far it had come.
    parts.onError("an adapter threw while it submitted a task", error);
    const words = error instanceof Error ? error.message : String(error);
    return { kind: "unknown", ...sayReason("own_fault", { words }) };
  }
}

function targetOf({ ready, credential, record }: Attempt): TaskTarget {
  const { upstream, route } = ready;
  return {
    upstream,
    credential: credential.value,
    model: route.model,
    table: record.parameterTable,
  };
}

/** A failure: certainly not taken, so that another upstream may be asked. */
export async function concludeAttempt(
  parts: EngineParts,
  lease: Lease,
  attempt: Attempt,
  outcome: SubmitOutcome,
): Promise<AttemptResult> {
  switch (outcome.kind) {
    case "accepted":
      return { kind: "answered", word: await started(parts, attempt, outcome.handle) };
    case "rejected": {
      const { code } = outcome;
      const word = await failStep(parts, lease, { phase: "submitting", code, why: outcome });
      return { kind: "answered", word };
    }
    case "unknown": {
      const end = await leaveUnknown(parts, lease, attempt, outcome);
      return { kind: "ended", end, failure: brokenAnswer(outcome) };
    }
    case "operator":
    case "busy": {
      const failure = failureOf(outcome);
      return (await noteNotTaken(parts, lease, attempt, outcome))
        ? failure
        : { kind: "ended", end: LOST, failure };
    }
  }
}

function failureOf(
  outcome: Extract<SubmitOutcome, { kind: "operator" | "busy" }>,
): UpstreamFailure {
  const failure = brokenAnswer(outcome);
  if (outcome.kind === "operator") return { ...failure, kind: "credentials" };
  if (outcome.unreached === true) return failure;
  // Limits of providers are those of our account there, so another credential may be welcome.
  const retryAfterSeconds = busyMs(outcome) / 1000;
  return { ...failure, kind: "busy", status: 429, retryAfterSeconds };
}

export function busyMs({ retryAfterMs }: Extract<SubmitOutcome, { kind: "busy" }>): number {
  return retryAfterMs === null || retryAfterMs === 0 ? BUSY_MS : retryAfterMs;
}

async function leaveUnknown(
  parts: EngineParts,
  lease: Lease,
  { ready }: Attempt,
  why: WordedReason,
): Promise<string> {
  const { taskId } = lease.task;
  const { name } = ready.upstream;
  // Our call is over: what the upstream does not know after its grace, it will never know.
  const events = [
    {
      kind: "submit_unknown",
      detail: { upstream: name, ...reasonDetail(why), callEnded: true },
    },
  ] as const;
  const unknown = {
    from: "submitting",
    to: "submit_unknown",
    dueInMs: FIRST_LOOK_MS,
    tries: 0,
    events,
  } as const;
  if (!(await putOff(parts, lease, unknown))) return LOST;
  parts.onAlert({ kind: "submit_unknown", taskId, upstream: name, reason: why.reason });
  return "unknown";
}

function noteNotTaken(
  parts: EngineParts,
  { task }: Lease,
  { ready }: Attempt,
  outcome: Extract<SubmitOutcome, { kind: "operator" | "busy" }>,
): Promise<boolean> {
  const { accountId, taskId, leaseId } = task;
  const upstream = ready.upstream.name;
  const { kind, reason } = outcome;
  if (kind === "operator") parts.onAlert({ kind, upstream, reason });
  const detail = { upstream, ...reasonDetail(outcome), outcome: kind };
  const events = [{ kind: "not_taken", detail }] as const;
  const still = {
    accountId,
    taskId,
    leaseId,
    from: "submitting",
    to: "submitting",
    lane: laneOf("submitting", task),
    dueInMs: null,
    events,
  } as const;
  return parts.db.transaction((tx) => moveTask(tx, still));
}

async function started(parts: EngineParts, attempt: Attempt, handle: TaskHandle): Promise<string> {
  const { record, ready, attemptId } = attempt;
  const { accountId, taskId } = record;
  const { adapter, upstream } = ready;
  const lane = laneOf("running", { ...record, upstream: upstream.name });
  const dueInMs = firstPollMs(adapter.scheduleOf(upstream), parts.random);
  const start = { accountId, taskId, attemptId, handle, lane, dueInMs };
  if (await parts.db.transaction((tx) => startTask(tx, start))) return "accepted";
  parts.onAlert({
    kind: "orphan",
    taskId,
    upstream: upstream.name,
    upstreamTaskId: handle.upstreamTaskId,
  });
  await adapter.cancel?.(targetOf(attempt), handle, parts.halt);
  return LOST;
}
