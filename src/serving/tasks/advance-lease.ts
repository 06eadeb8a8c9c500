/**
 * What one engine has leased: kept while it works at it, and let go of in time when it cannot be
 * kept.
 */
import type { Db } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import { releaseLeases, renewLeases, type LeasedTask } from "../../tasks/jobs.store.ts";

export interface Lease {
  readonly task: LeasedTask;
  /** Aborted when the lease is lost, and when the engine has to stop. */
  readonly signal: AbortSignal;
  /** There is enough of it left to begin something that must not be done twice. */
  readonly firm: boolean;
}

export interface Leases {
  readonly size: number;
  /** `leasedMs`: when the statement that leased it was sent. */
  add(task: LeasedTask, leasedMs: number): Lease;
  drop(lease: Lease): void;
  /**
   * Renews what is older than a third of a lease. To be called several times in that time. Never
   * throws.
   */
  renew(): Promise<void>;
  /** Aborts everything. */
  abort(reason: Error): void;
  /**
   * Gives back whatever there still is, and what was aborted, at the step that it is at. Those that
   * have ended have no lease any more.
   */
  release(): Promise<void>;
}

export interface LeasesDeps {
  readonly db: Db;
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly leaseMs: number;
  onError(what: string, error: unknown): void;
}

/** Another engine may work at the task by now. */
export class LeaseLost extends Error {
  override name = "LeaseLost";
}

class HeldLease implements Lease {
  readonly task: LeasedTask;
  heldMs: number;
  private readonly deps: LeasesDeps;
  private controller: AbortController | null = null;
  private ended: Error | null = null;

  constructor(deps: LeasesDeps, task: LeasedTask, leasedMs: number) {
    this.deps = deps;
    this.task = task;
    this.heldMs = leasedMs;
  }

  /** Made when it is asked for: most leases end with a poll that takes milliseconds. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.ended !== null) this.controller.abort(this.ended);
    return this.controller.signal;
  }

  get firm(): boolean {
    return (
      this.ended === null && this.deps.clock.monotonicMs() - this.heldMs < this.deps.leaseMs / 2
    );
  }

  end(reason: Error): void {
    this.ended ??= reason;
    this.controller?.abort(this.ended);
  }
}

export function createLeases(deps: LeasesDeps): Leases {
  const { db, clock, leaseMs } = deps;
  const held = new Set<HeldLease>();
  /** Their steps end without saying where they stand. */
  let brokenOff: readonly HeldLease[] = [];

  return {
    get size() {
      return held.size;
    },
    add(task, leasedMs) {
      const lease = new HeldLease(deps, task, leasedMs);
      held.add(lease);
      return lease;
    },
    drop: (lease) => void held.delete(lease as HeldLease),
    async renew() {
      const beganMs = clock.monotonicMs();
      const old = [...held].filter(({ heldMs }) => beganMs - heldMs >= leaseMs / 3);
      if (old.length === 0) return;
      try {
        const kept = new Set(
          await renewLeases(
            db,
            old.map(({ task }) => task),
            leaseMs,
          ),
        );
        for (const lease of old) {
          if (kept.has(lease.task.taskId)) lease.heldMs = beganMs;
          else lease.end(new LeaseLost("the task was moved on, or leased to another engine"));
        }
      } catch (error) {
        deps.onError("leases could not be renewed", error);
        for (const lease of old) {
          if (clock.monotonicMs() - lease.heldMs >= leaseMs)
            lease.end(new LeaseLost("the lease could not be renewed"));
        }
      }
    },
    abort(reason) {
      brokenOff = [...held];
      for (const lease of held) lease.end(reason);
    },
    async release() {
      const left = new Set([...held, ...brokenOff]);
      if (left.size === 0) return;
      await releaseLeases(
        db,
        [...left].map(({ task }) => task),
      );
    },
  };
}
