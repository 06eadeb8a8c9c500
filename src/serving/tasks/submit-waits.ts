/**
 * How long a task waits that no upstream took: until the first one can be asked, for as long as it
 * lives; for what an operator has to mend, some minutes.
 */
import type {
  WordedReason,
  UpstreamWordedReason,
} from "../../contract/operator/upstream-reason.ts";
import { backoffMs, jittered, type Backoff } from "../../kernel/backoff.ts";
import type { TaskPhase } from "../../tasks/task-record.ts";
import { DEFERRABLE } from "../routing/failure-rules.ts";
import { reasonDetail } from "../../tasks/reason-detail.ts";
import type { RouteHead } from "../routing/route-selection.ts";
import type { EngineParts } from "./advance-deps.ts";
import type { Lease } from "./advance-lease.ts";
import { failStep, LOST, putOff } from "./advance-outcome.ts";

/**
 * So often no upstream could be asked for reasons that an operator has to mend: about ten minutes.
 */
const MOST_COMPLAINTS = 12;
const RETRY: Backoff = { firstMs: 5_000, longestMs: 60_000 };

export class SubmitWaits {
  private readonly parts: EngineParts;
  private readonly lease: Lease;
  /**
   * Until an upstream could be asked again; null: none rests and none is busy, so that waiting
   * alone mends nothing.
   */
  private waitMs: number | null = null;
  private readonly complaints: UpstreamWordedReason[] = [];
  private readonly turnedAway: { readonly route: RouteHead; readonly ms: number }[] = [];

  constructor(parts: EngineParts, lease: Lease) {
    this.parts = parts;
    this.lease = lease;
  }

  /** One of the upstreams can be asked after so long. */
  add(ms: number): void {
    this.waitMs = Math.min(this.waitMs ?? Infinity, ms);
  }

  /** The same, as far as this process knows: what waits for one upstream does not come at once. */
  addFor(ms: number): void {
    this.add(jittered(ms, this.parts.random));
  }

  /** Something that an operator has to mend. */
  complain(upstream: string, why: WordedReason): void {
    this.complaints.push({ upstream, ...reasonDetail(why) });
  }

  /** Busy, or not to be reached: after so long it can be asked again, or when its circuit closes. */
  away(route: RouteHead, ms: number): void {
    this.turnedAway.push({ route, ms });
  }

  /** The task is put off, or fails. To be called when every route's outcome was told. */
  async end(from: TaskPhase): Promise<string> {
    const { parts, lease, complaints } = this;
    for (const { upstream, reason } of complaints)
      parts.onAlert({ kind: "operator", upstream, reason });
    this.addTurnedAway();
    const { waitMs } = this;
    const { tries } = lease.task;
    if (waitMs === null && tries + 1 >= MOST_COMPLAINTS) {
      const reason = complaints
        .map((complaint) => `${complaint.upstream}: ${complaint.reason}`)
        .join("; ");
      return failStep(parts, lease, {
        phase: from,
        code: "provider_error",
        message: "No provider could take the task.",
        why: { reason, coded: complaints },
      });
    }
    const later = {
      from,
      to: "ready",
      dueInMs: Math.min(waitMs ?? backoffMs(tries, RETRY, parts.random), RETRY.longestMs),
      tries: waitMs === null ? tries + 1 : tries,
    } as const;
    return (await putOff(parts, lease, later)) ? "busy" : LOST;
  }

  private addTurnedAway(): void {
    const { health } = this.parts;
    for (const { route, ms } of this.turnedAway) {
      const view = health.route(route);
      const pauseMs = view.kind === "ready" ? ms : Math.max(view.retryInMs, DEFERRABLE.leastWaitMs);
      this.addFor(pauseMs);
    }
  }
}
