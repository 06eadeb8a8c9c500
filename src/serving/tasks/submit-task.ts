/**
 * Gives a task to an upstream, at most once: the attempt is committed before the call, another
 * upstream is asked only after one that certainly did not take it, and where it is unknown whether
 * it was taken, no other is asked. While an upstream fails, its circuit holds tasks back.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import { randomUUID } from "node:crypto";
import type { TaskPhase, TaskRecord } from "../../tasks/task-record.ts";
import { findTask } from "../../tasks/tasks.store.ts";
import { DEFERRABLE } from "../routing/failure-rules.ts";
import type { RouteHead, RouteTry } from "../routing/route-selection.ts";
import { tryRoutes, type RouteCalls } from "../routing/try-routes.ts";
import type { EngineParts } from "./advance-deps.ts";
import type { Lease } from "./advance-lease.ts";
import { failStep, LOST, putOff, steadily } from "./advance-outcome.ts";
import { eligibleRoutes } from "./eligible-routes.ts";
import { tableOf } from "./ingest-media.ts";
import { routesLeft } from "./routes-left.ts";
import {
  beginAttempt,
  busyMs,
  concludeAttempt,
  sendAttempt,
  type Attempt,
  type AttemptResult,
  type Taken,
} from "./submit-attempt.ts";
import { readyTaskRoutes, type ReadyTaskRoute } from "./submit-routes.ts";
import { SubmitWaits } from "./submit-waits.ts";
import { measuredInputs, submittedParameters } from "./submitted-parameters.ts";

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
  const ordered = await findTask(parts.db, task.accountId, task.taskId);
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
      why: sayReason("no_upstream_left"),
    });
  const record = { ...ordered, parameters: submittedParameters(table, ordered, parts.staticUrl()) };
  const waits = new SubmitWaits(parts, lease);
  const routes = readyTaskRoutes(parts, left, waits);
  const { health, places, random } = parts;
  const choosing = { health, places, random, rules: DEFERRABLE };
  const end = await tryRoutes(choosing, routes, new Submissions(parts, lease, record, waits));
  return typeof end === "string" ? end : end.word;
}

/** What one task does with the routes that are left to it. */
class Submissions implements RouteCalls<ReadyTaskRoute, Taken, string> {
  private readonly parts: EngineParts;
  private readonly lease: Lease;
  private readonly record: TaskRecord;
  private readonly waits: SubmitWaits;
  /** Where the task stands. */
  private phase: TaskPhase = "ready";

  constructor(parts: EngineParts, lease: Lease, record: TaskRecord, waits: SubmitWaits) {
    this.parts = parts;
    this.lease = lease;
    this.record = record;
    this.waits = waits;
  }

  get aborted(): boolean {
    return this.parts.halt.aborted;
  }

  onSkipped({ upstream }: RouteHead, why: WordedReason, retryInMs: number | null): void {
    if (retryInMs === null) this.waits.complain(upstream, why);
    else this.waits.addFor(retryInMs);
  }

  async call(current: RouteTry<ReadyTaskRoute>): Promise<AttemptResult> {
    const { parts, lease, record, waits } = this;
    const { ready, credential } = current;
    const attempt: Attempt = { record, ready, credential, attemptId: randomUUID() };
    const begun = await beginAttempt(parts, lease, attempt, this.phase);
    if (begun === "lost") return { kind: "ended", end: LOST, failure: null };
    if (begun !== "begun") {
      waits.add(begun.waitMs);
      return { kind: "passed-over" };
    }
    this.phase = "submitting";
    // An engine that stood still between the commit and this line may have lost the task to one
    // that takes it for submitted.
    if (!lease.firm || parts.halt.aborted)
      return { kind: "ended", end: await this.delay(), failure: null };
    const outcome = await sendAttempt(parts, attempt, lease.task.leftMs);
    current.release();
    if ("reason" in outcome)
      parts.onWords({
        taskId: record.taskId,
        upstream: ready.upstream.name,
        step: "submit",
        outcome: outcome.kind,
        words: outcome.reason,
      });
    if (outcome.kind === "busy") waits.away(ready.route, busyMs(outcome));
    return steadily(parts, () => concludeAttempt(parts, lease, attempt, outcome));
  }

  /** No upstream took it. */
  exhausted(): Promise<string> {
    return this.aborted ? this.delay() : this.waits.end(this.phase);
  }

  /** Nothing is under way: the next engine takes it from here. */
  private async delay(): Promise<string> {
    const { parts, lease, phase } = this;
    const { tries } = lease.task;
    const delayed = { from: phase, to: "ready", dueInMs: 0, tries } as const;
    return (await putOff(parts, lease, delayed)) ? "delayed" : LOST;
  }
}
