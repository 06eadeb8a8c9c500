/**
 * Gives a task to an upstream, at most once: the attempt is committed before the call, another
 * upstream is asked only after one that certainly did not take it, and where it is unknown whether
 * it was taken, no other is asked.
 */
import { randomUUID } from "node:crypto";
import type { Model } from "../../catalogue/catalogue.ts";
import { priceTask } from "../../contract/price/price-task.ts";
import { backoffMs, jittered, type Backoff } from "../../kernel/backoff.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { moveTask, startTask } from "../../tasks/jobs.store.ts";
import { laneOf } from "../../tasks/lane.ts";
import type { TaskPhase, TaskRecord } from "../../tasks/task-record.ts";
import { findTask } from "../../tasks/tasks.store.ts";
import type { SubmitOutcome, TaskHandle, TaskTarget } from "../../upstreams/tasks/task-adapter.ts";
import { withDeadline } from "./advance-call.ts";
import type { EngineParts } from "./advance-deps.ts";
import type { Lease } from "./advance-lease.ts";
import { failStep, LOST, putOff, steadily } from "./advance-outcome.ts";
import { eligibleRoutes } from "./eligible-routes.ts";
import { tableOf } from "./ingest-media.ts";
import { firstPollMs } from "./poll-schedule.ts";
import { routesLeft } from "./routes-left.ts";
import { createOffers, type Offer, type Offers } from "./submit-routes.ts";
import { turnMs } from "./submit-turn.ts";
import { measuredInputs, submittedParameters } from "./submitted-parameters.ts";

/** For one call of an upstream, whatever its own timeouts say. */
export const SUBMIT_MS = 180_000;
/** Where a busy upstream does not say how long. */
const BUSY_MS = 2_000;
const CREDENTIAL_REST_MS = 30_000;
/**
 * So often no upstream could be asked for reasons that an operator has to mend: about ten minutes.
 */
const MOST_COMPLAINTS = 12;
const RETRY: Backoff = { firstMs: 5_000, longestMs: 60_000 };
/** The first look for a submission whose answer never came. */
const FIRST_LOOK_MS = 2_000;

/**
 * `ready` → `running`, `submit_unknown`, failed, or `ready` again later. Returns a word for the
 * metrics.
 */
export async function submitTask(parts: EngineParts, lease: Lease): Promise<string> {
  const { task } = lease;
  if (task.cancelRequested) return failStep(parts, lease, { code: "canceled" });
  if (task.leftMs <= 0)
    return failStep(parts, lease, {
      code: "provider_timeout",
      message: "The task could not be started in time.",
    });
  const ordered = await findTask(parts.db, task.taskId);
  if (ordered === null) return LOST;
  const model = parts.catalogue.current().catalogue.models.get(task.model);
  if (model?.type !== "task")
    return failStep(parts, lease, {
      code: "internal",
      message: "This model is not served any more.",
    });

  const table = tableOf(ordered.parameterTable);
  const eligible = eligibleRoutes(model.routes, ordered.parameters, measuredInputs(table, ordered));
  // It was held against them when it was ordered; the catalogue may be another one by now.
  if (eligible.kind === "none") {
    return failStep(parts, lease, {
      code: "input_rejected",
      message: eligible.mistakes.map(({ message }) => message).join(" "),
    });
  }
  const left = await routesLeft(parts.db, ordered, eligible.routes);
  if (left.length === 0)
    return failStep(parts, lease, {
      code: "provider_error",
      reason: "no upstream is left that could be asked",
    });
  const offers = createOffers(parts, left);
  const record = { ...ordered, parameters: submittedParameters(table, ordered, parts.staticUrl()) };
  let phase: TaskPhase = "ready";
  for (let offer = offers.next(); offer !== null; offer = offers.next()) {
    const attemptId = randomUUID();
    let outcome: SubmitOutcome;
    try {
      const begun = await begin(parts, lease, { record, offer, attemptId, from: phase });
      if (begun === "lost") return LOST;
      if (begun !== "begun") {
        offers.later(begun.waitMs);
        continue;
      }
      phase = "submitting";
      // An engine that stood still between the commit and this line may have lost the task to one
      // that takes it for submitted.
      if (!lease.firm || parts.halt.aborted) {
        return (await putOff(parts, lease, {
          from: phase,
          to: "ready",
          dueInMs: 0,
          tries: task.tries,
        }))
          ? "delayed"
          : LOST;
      }
      outcome = await call(parts, record, offer, attemptId, task.leftMs);
    } finally {
      offer.slot();
    }
    const attempt = { record, offer, attemptId };
    const done = await steadily(parts, () => conclude(parts, lease, attempt, outcome));
    if (done !== null) return done;
  }
  return wait(parts, lease, offers, phase);
}

/** `waitMs`: it is not its turn at this upstream, and nothing was changed. */
function begin(
  parts: EngineParts,
  { task }: Lease,
  { record, offer, attemptId, from }: Attempt & { readonly from: TaskPhase },
): Promise<"begun" | "lost" | { readonly waitMs: number }> {
  const { adapter, route, upstream, credentialName } = offer;
  const { taskId, leaseId } = task;
  // Filled: a process that hears of this submission from a callback or a look-up alone has no
  // parameters to fill it with.
  const upstreamModel = adapter.modelOf(targetOf(offer, record), record.parameters) ?? route.model;
  const attempt = {
    attemptId,
    upstream: upstream.name,
    upstreamModel,
    credentialName,
    upstreamCostNano: costOf(route, record),
  };
  const lane = laneOf("submitting", task);
  const events = [
    { kind: "submitting", detail: { attemptId, upstream: upstream.name, model: upstreamModel } },
  ] as const;
  return parts.db.transaction(async (tx) => {
    const waitMs = await turnMs(tx, upstream, { task, random: parts.random });
    if (waitMs > 0) return { waitMs };
    const moved = await moveTask(tx, {
      taskId,
      leaseId,
      from,
      to: "submitting",
      lane,
      dueInMs: null,
      attempt,
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
async function call(
  parts: EngineParts,
  record: TaskRecord,
  offer: Offer,
  attemptId: Uuid,
  leftMs: number,
): Promise<SubmitOutcome> {
  const { adapter, upstream } = offer;
  const submission = {
    parameters: record.parameters,
    attemptId,
    callbackUrl: parts.callbackUrl(upstream.name, attemptId),
    deadlineSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
  };
  try {
    return await withDeadline(parts.halt, SUBMIT_MS, (signal) =>
      adapter.submit(targetOf(offer, record), submission, signal),
    );
  } catch (error) {
    // An adapter does not reject; if one does, it is unknown how far it had come.
    parts.onError("an adapter threw while it submitted a task", error);
    return { kind: "unknown", reason: error instanceof Error ? error.message : String(error) };
  }
}

function targetOf(
  { upstream, credential, route }: Offer,
  { parameterTable: table }: TaskRecord,
): TaskTarget {
  return { upstream, credential, model: route.model, table };
}

interface Attempt {
  /** With the parameters as they are submitted. */
  readonly record: TaskRecord;
  readonly offer: Offer;
  readonly attemptId: Uuid;
}

/** Null: certainly not taken, so that another upstream may be asked. */
async function conclude(
  parts: EngineParts,
  lease: Lease,
  attempt: Attempt,
  outcome: SubmitOutcome,
): Promise<string | null> {
  const { offer } = attempt;
  const { taskId, leaseId } = lease.task;
  const { name } = offer.upstream;
  const detail = "reason" in outcome ? { upstream: name, reason: outcome.reason } : null;
  if ("reason" in outcome)
    parts.onWords({
      taskId,
      upstream: name,
      step: "submit",
      outcome: outcome.kind,
      words: outcome.reason,
    });
  switch (outcome.kind) {
    case "accepted":
      parts.rests.wake(name, offer.credentialName);
      return started(parts, attempt, outcome.handle);
    case "rejected":
      return failStep(parts, lease, {
        phase: "submitting",
        code: outcome.code,
        reason: outcome.reason,
      });
    case "unknown": {
      // Our call is over: what the upstream does not know after its grace, it will never know.
      const events = [
        {
          kind: "submit_unknown",
          detail: { upstream: name, reason: outcome.reason, callEnded: true },
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
      parts.onAlert({ kind: "submit_unknown", taskId, upstream: name, reason: outcome.reason });
      return "unknown";
    }
    case "operator":
      parts.onAlert({ kind: "operator", upstream: name, reason: outcome.reason });
      parts.rests.rest(CREDENTIAL_REST_MS, name, offer.credentialName);
      break;
    case "busy":
      parts.rests.rest(outcome.retryAfterMs ?? BUSY_MS, name);
      break;
  }
  const events = [{ kind: "not_taken", detail: { ...detail, outcome: outcome.kind } }] as const;
  const lane = laneOf("submitting", lease.task);
  const still = {
    taskId,
    leaseId,
    from: "submitting",
    to: "submitting",
    lane,
    dueInMs: null,
    events,
  } as const;
  return (await parts.db.transaction((tx) => moveTask(tx, still))) ? null : LOST;
}

async function started(
  parts: EngineParts,
  { record, offer, attemptId }: Attempt,
  handle: TaskHandle,
): Promise<string> {
  const { taskId } = record;
  const { adapter, upstream } = offer;
  const lane = laneOf("running", { ...record, upstream: upstream.name });
  const dueInMs = firstPollMs(adapter.scheduleOf(upstream), parts.random);
  const start = { taskId, attemptId, handle, lane, dueInMs };
  if (await parts.db.transaction((tx) => startTask(tx, start))) return "accepted";
  parts.onAlert({
    kind: "orphan",
    taskId,
    upstream: upstream.name,
    upstreamTaskId: handle.upstreamTaskId,
  });
  await adapter.cancel?.(targetOf(offer, record), handle, parts.halt);
  return LOST;
}

/**
 * No upstream took it. A busy one is waited for until the deadline; what an operator has to mend,
 * for a few minutes.
 */
async function wait(
  parts: EngineParts,
  lease: Lease,
  { waitMs, complaints }: Offers,
  from: TaskPhase,
): Promise<string> {
  for (const complaint of complaints) parts.onAlert({ kind: "operator", ...complaint });
  const { tries } = lease.task;
  // Looked at anew, because those that were just asked may rest now.
  const busyMs = waitMs ?? restOf(parts, lease);
  if (busyMs === null && tries + 1 >= MOST_COMPLAINTS) {
    const reason = complaints.map(({ upstream, reason: why }) => `${upstream}: ${why}`).join("; ");
    return failStep(parts, lease, {
      phase: from,
      code: "provider_error",
      message: "No provider could take the task.",
      reason,
    });
  }
  const dueInMs = busyMs ?? backoffMs(tries, RETRY, parts.random);
  const later = {
    from,
    to: "ready",
    dueInMs: Math.min(dueInMs, RETRY.longestMs),
    tries: busyMs === null ? tries + 1 : tries,
  } as const;
  return (await putOff(parts, lease, later)) ? "busy" : LOST;
}

/** Until the first of the model's upstreams that said to be busy can be asked again. */
function restOf(parts: EngineParts, { task }: Lease): number | null {
  const model = parts.catalogue.current().catalogue.models.get(task.model);
  const rests = (model?.type === "task" ? model.routes : [])
    .map(({ upstream }) => parts.rests.restMs(upstream))
    .filter((ms) => ms > 0);
  return rests.length === 0 ? null : jittered(Math.min(...rests), parts.random);
}
