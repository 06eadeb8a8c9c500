/**
 * The engine of tasks: leases what is due, does its next step, and sleeps until something else is.
 * Any number of engines work on one database; what is certain stands in its rows, and nothing here
 * has to survive.
 */
import { setMaxListeners } from "node:events";
import { newUuid } from "../../kernel/ids.ts";
import { dueLanes, leaseDue, type LeasedTask } from "../../tasks/jobs.store.ts";
import { kindOfLane, type LaneKind } from "../../tasks/lane.ts";
import { within } from "../within.ts";
import {
  ENGINE_LIMITS,
  type EngineParts,
  type TaskAlert,
  type TaskEngineDeps,
} from "./advance-deps.ts";
import { createLaneBook } from "./advance-lanes.ts";
import { createLeases, type Lease } from "./advance-lease.ts";
import { takeStep } from "./advance-step.ts";
import { createPollNotes } from "./poll-notes.ts";

export interface TaskEngine {
  start(): void;
  /** Something may be due: a message of the database said so. */
  wake(): void;
  /**
   * Takes nothing new, lets what runs finish for so long, then breaks it off and gives back what is
   * leased.
   */
  stop(deadlineMs: number): Promise<void>;
  /** Tasks under way in this engine, by kind of step. */
  readonly active: Readonly<Record<LaneKind, number>>;
}

/** After a failure of the database, and where others took what was due. */
const BREATH_MS = 500;
/** For what was broken off to write down where it stands. */
const BREAK_OFF_MS = 10_000;
/** The same complaint about an upstream is told once in this time. */
const COMPLAINT_MS = 60_000;
/** Timers of Node run up to a millisecond early. */
const SOONEST_MS = 2;

export function createTaskEngine(deps: TaskEngineDeps): TaskEngine {
  const { db, clock, onError } = deps;
  const limits = { ...ENGINE_LIMITS, ...deps.limits };
  const halt = new AbortController();
  // Every submission under way hears of it.
  setMaxListeners(0, halt.signal);
  const leases = createLeases({ db, clock, leaseMs: limits.leaseMs, onError });
  const lanes = createLaneBook(limits);
  const parts: EngineParts = {
    ...deps,
    limits,
    halt: halt.signal,
    wake,
    onAlert: withoutRepetition(deps),
  };
  const notes = createPollNotes({ db, onError });
  const underWay = new Set<Promise<void>>();
  let stopped = true;
  let looking: Promise<void> | null = null;
  let again = false;
  /** Something that is due found no room: to be looked for as soon as there is some. */
  let hungry = false;
  let alarm: NodeJS.Timeout | null = null;
  let renewal: NodeJS.Timeout | null = null;

  function wake(): void {
    if (stopped) return;
    if (looking !== null) {
      again = true;
      return;
    }
    looking = look().finally(() => {
      looking = null;
      if (again) {
        again = false;
        wake();
      }
    });
  }

  function sleepFor(ms: number): void {
    if (alarm !== null) clearTimeout(alarm);
    alarm = stopped
      ? null
      : setTimeout(wake, Math.min(limits.idleMs, Math.max(SOONEST_MS, Math.ceil(ms))));
  }

  async function look(): Promise<void> {
    try {
      while (!stopped) {
        const due = await dueLanes(db);
        const { orders, hungry: some } = lanes.share(due);
        hungry = some;
        if (orders.length === 0) {
          const next = due.find(({ inMs }) => inMs > 0);
          return sleepFor(next?.inMs ?? limits.idleMs);
        }
        const leasedMs = clock.monotonicMs();
        const leased = await leaseDue(db, {
          leaseId: newUuid(),
          leaseMs: limits.leaseMs,
          lanes: orders,
        });
        for (const task of leased) begin(task, leasedMs);
        // Others took it.
        if (leased.length === 0) return sleepFor(BREATH_MS * parts.random());
      }
    } catch (error) {
      onError("due tasks could not be leased", error);
      sleepFor(BREATH_MS);
    }
  }

  function begin(task: LeasedTask, leasedMs: number): void {
    const lease = leases.add(task, leasedMs);
    lanes.enter(task.lane);
    const work = step(lease).finally(() => {
      underWay.delete(work);
      leases.drop(lease);
      lanes.leave(task.lane);
      if (hungry) wake();
    });
    underWay.add(work);
  }

  /** Never rejects. */
  async function step(lease: Lease): Promise<void> {
    const { task } = lease;
    const beganMs = clock.monotonicMs();
    const outcome = await takeStep(parts, notes, lease);
    const { model, upstream } = task;
    deps.onStep({
      step: kindOfLane(task.lane),
      model,
      upstream,
      outcome,
      ms: clock.monotonicMs() - beganMs,
    });
  }

  return {
    active: lanes.active,
    start() {
      stopped = false;
      renewal = setInterval(() => void leases.renew(), limits.leaseMs / 10);
      wake();
    },
    wake,
    async stop(deadlineMs) {
      stopped = true;
      if (alarm !== null) clearTimeout(alarm);
      await looking;
      const over = Promise.all(underWay);
      if (!(await within(over, deadlineMs))) {
        const reason = new Error("the engine stops");
        leases.abort(reason);
        halt.abort(reason);
        await within(over, BREAK_OFF_MS);
      }
      if (renewal !== null) clearInterval(renewal);
      await leases
        .release()
        .catch((error: unknown) => onError("leases could not be given back; they run out", error));
    },
  };
}

/** What an operator has to mend shows with every task that waits for it. */
function withoutRepetition({
  clock,
  onAlert,
}: Pick<TaskEngineDeps, "clock" | "onAlert">): (alert: TaskAlert) => void {
  const reportedMs = new Map<string, number>();
  return (alert) => {
    if (alert.kind === "operator") {
      const key = `${alert.upstream}\n${alert.reason}`;
      const nowMs = clock.monotonicMs();
      if (nowMs - (reportedMs.get(key) ?? -Infinity) < COMPLAINT_MS) return;
      for (const [old, ms] of reportedMs) if (nowMs - ms >= COMPLAINT_MS) reportedMs.delete(old);
      reportedMs.set(key, nowMs);
    }
    onAlert(alert);
  };
}
