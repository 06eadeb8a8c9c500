/**
 * Works off batches: validates them, runs their lines a few at a time behind everything else, and
 * ends them. Any number of processes work on one database; what is certain stands in its rows.
 */
import type { BatchRecord, LeasedLine } from "../../batches/batch-record.ts";
import { forgetBatches } from "../../batches/batches.store.ts";
import { leaseLines, putBackLines, renewLines } from "../../batches/lines.store.ts";
import {
  abandonBatch,
  anyBatches,
  batchesToClose,
  closeBatchIn,
  renewBatch,
  StillOpen,
  takeBatch,
} from "../../batches/work.store.ts";
import { putBackPass, renewPass, takePass, type PassRecord } from "../../batches/passes.store.ts";
import { backoffMs } from "../../kernel/backoff.ts";
import type { Clock } from "../../kernel/clock.ts";
import { toFault } from "../../kernel/faults.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { DATABASE_BACKOFF } from "../database-backoff.ts";
import { within } from "../within.ts";
import type { Intake } from "../files/intake.ts";
import { FORGOTTEN_AFTER_DAYS, type BatchPace } from "./batch-limits.ts";
import { endLine, type LineEnd } from "./end-line.ts";
import { finalizeBatch, type FinalizationDeps } from "./finalize-batch.ts";
import { runLine, type RunLineDeps } from "./run-line.ts";
import { workPass, type PassDeps } from "./passes/work-pass.ts";
import { validateBatch, type ValidationDeps } from "./validate-batch.ts";

export interface BatchWorkerDeps extends ValidationDeps, FinalizationDeps, RunLineDeps, PassDeps {
  readonly clock: Clock;
  readonly pace: BatchPace;
  readonly catalogue: ValidationDeps["catalogue"];
  readonly resultIntake: Intake;
  /** Nothing more pressing is to be done: while there is, no line begins. */
  mayRun(): boolean;
  /** Lines under way are cut off. */
  cut(): Promise<void>;
  /** Hears of each line's end: succeeded, errored, again, lost, failed. */
  onLine(outcome: string): void;
  onError(what: string, error: unknown): void;
}

export interface BatchWorker {
  start(): void;
  /** There is something to do. */
  wake(): void;
  /** Lines under way. */
  readonly active: number;
  /**
   * Takes nothing new, lets what runs finish for so long, and gives the rest back to the process
   * that asks next.
   */
  stop(deadlineMs: number): Promise<void>;
}

const CLOSED_AT_ONCE = 20;
const FORGOTTEN_AT_ONCE = 100;
/** For what was cut off to say so. */
const CUT_MS = 10_000;

export function createBatchWorker(deps: BatchWorkerDeps): BatchWorker {
  const { db, pace, onError } = deps;
  const running = new Map<LeasedLine, Promise<void>>();
  let stopping = true;
  let looking: Promise<void> | null = null;
  let asking: Promise<void> | null = null;
  const working = new Set<Promise<void>>();
  let again = false;
  let timers: NodeJS.Timeout[] = [];
  const halt = new AbortController();

  function look(): void {
    if (stopping) return;
    if (looking !== null) {
      again = true;
      return;
    }
    looking = takeLines()
      .catch((error: unknown) => onError("lines of batches could not be taken", error))
      .finally(() => {
        looking = null;
        if (!again) return;
        again = false;
        look();
      });
  }

  async function takeLines(): Promise<void> {
    while (!stopping && deps.mayRun()) {
      const { notOf, limit } = room();
      if (limit === 0) return;
      const leaseId = newUuid();
      const lines = await leaseLines(db, { leaseId, leaseMs: pace.leaseMs, limit, notOf });
      if (lines.length === 0) return;
      for (const line of lines) running.set(line, run(line));
    }
  }

  /** What no account that may be taken from would pass its share by. */
  function room(): { readonly notOf: readonly Uuid[]; readonly limit: number } {
    const { linesAtOnce, linesOfAccount } = pace;
    const of = Map.groupBy(running.keys(), ({ accountId }) => accountId);
    const notOf: Uuid[] = [];
    let limit = Math.min(linesAtOnce - running.size, linesOfAccount);
    for (const [accountId, lines] of of) {
      const left = linesOfAccount - lines.length;
      if (left <= 0) notOf.push(accountId);
      else limit = Math.min(limit, left);
    }
    return { notOf, limit };
  }

  /** Never rejects. */
  async function run(line: LeasedLine): Promise<void> {
    try {
      deps.onLine(await finish(line));
    } catch (error) {
      // Its lease runs out, and another process takes it, or this one.
      deps.onLine("failed");
      onError("a line of a batch could not be run", error);
    } finally {
      running.delete(line);
      look();
      if (running.size === 0) work();
    }
  }

  async function finish(line: LeasedLine): Promise<string> {
    const outcome = await runLine(deps, line);
    if (outcome.kind === "again" || (stopping && wasCut(outcome))) {
      const afterMs = outcome.kind === "again" && !stopping ? outcome.afterMs : 0;
      await putBackLines(db, [line], afterMs, !stopping);
      return "again";
    }
    const ended = await endPatiently(line, outcome);
    return ended === "lost" ? "lost" : outcome.answer.state;
  }

  /** What was answered is not thrown away for an outage that is shorter than the lease. */
  async function endPatiently(line: LeasedLine, end: LineEnd): Promise<"ended" | "lost"> {
    const untilMs = performance.now() + pace.leaseMs;
    for (let failed = 0; ; failed++) {
      try {
        return await endLine(db, line, end);
      } catch (error) {
        if (toFault(error).code !== "overloaded" || performance.now() >= untilMs) throw error;
        await sleep(backoffMs(failed, DATABASE_BACKOFF, Math.random));
      }
    }
  }

  function work(): void {
    if (stopping || working.size >= pace.batchesAtOnce) return;
    const turn: Promise<void> = workOff()
      .catch((error: unknown) => onError("batches could not be worked on", error))
      .finally(() => working.delete(turn));
    working.add(turn);
  }

  async function workOff(): Promise<void> {
    for (const key of await batchesToClose(db, CLOSED_AT_ONCE)) {
      await db
        .transaction((tx) => closeBatchIn(tx, key))
        .catch((error: unknown) => {
          if (!(error instanceof StillOpen)) throw error;
        });
    }
    while (!stopping) {
      const leaseId = newUuid();
      const batch = await takeBatch(db, leaseId, pace.leaseMs);
      const pass = batch === null ? await takePass(db, leaseId, pace.leaseMs) : null;
      if (batch === null && pass === null) return;
      // There may be another one beside it.
      work();
      if (batch !== null) await workOn(batch, leaseId);
      if (pass !== null) await workOnPass(pass, leaseId);
      look();
    }
  }

  async function workOn(batch: BatchRecord, leaseId: Uuid): Promise<void> {
    const lost = new AbortController();
    const signal = AbortSignal.any([lost.signal, halt.signal]);
    const renewal = setInterval(() => {
      renewBatch(db, batch, leaseId, pace.leaseMs).then(
        (kept) => kept || lost.abort(),
        (error: unknown) => onError("the lease of a batch could not be renewed", error),
      );
    }, pace.leaseMs / 6);
    try {
      if (batch.state === "validating") await validateBatch(deps, batch, leaseId, signal);
      else if (batch.state === "cancelling") await abandonBatch(db, batch, leaseId);
      else await finalizeBatch(deps, batch, leaseId, signal);
    } catch (error) {
      onError("a batch could not be validated or ended; it is tried again", error);
      await renewBatch(db, batch, leaseId, stopping ? 0 : pace.leaseMs / 2);
    } finally {
      clearInterval(renewal);
    }
  }

  async function workOnPass(pass: PassRecord, leaseId: Uuid): Promise<void> {
    const lost = new AbortController();
    const signal = AbortSignal.any([lost.signal, halt.signal]);
    const renewal = setInterval(() => {
      renewPass(db, pass, leaseId, pace.leaseMs).then(
        (kept) => kept || lost.abort(),
        (error: unknown) => onError("the lease of a pass could not be renewed", error),
      );
    }, pace.leaseMs / 6);
    try {
      await workPass(deps, pass, leaseId, signal);
    } catch (error) {
      onError("a batch at an upstream could not be worked on; it is tried again", error);
      await putBackPass(db, pass, leaseId, stopping ? 0 : pace.pollMs);
    } finally {
      clearInterval(renewal);
    }
  }

  /** Most installations have no batch most of the time: that takes one statement. */
  function lookAround(): void {
    asking ??= anyBatches(db)
      .then((any) => {
        if (!any) return;
        look();
        work();
      })
      .catch((error: unknown) => onError("batches could not be looked for", error))
      .finally(() => (asking = null));
  }

  function renew(): void {
    const lines = [...running.keys()];
    if (lines.length === 0) return;
    renewLines(db, lines, pace.leaseMs).catch((error: unknown) =>
      onError("the leases of lines could not be renewed", error),
    );
  }

  return {
    get active() {
      return running.size;
    },
    start() {
      stopping = false;
      const every = (ms: number, what: () => void): NodeJS.Timeout => setInterval(what, ms);
      timers = [
        every(pace.lookMs, lookAround),
        every(pace.leaseMs / 6, renew),
        every(pace.leaseMs, () => {
          forgetBatches(db, FORGOTTEN_AFTER_DAYS, FORGOTTEN_AT_ONCE).catch((error: unknown) =>
            onError("old batches could not be forgotten", error),
          );
        }),
      ];
      work();
      look();
    },
    wake() {
      work();
      look();
    },
    async stop(deadlineMs) {
      if (stopping) return;
      stopping = true;
      clearInterval(timers[0]);
      await asking;
      await looking;
      const over = (): Promise<unknown> => Promise.all([...running.values(), ...working]);
      if (!(await within(over(), deadlineMs))) {
        halt.abort(new Error("the process stops"));
        void deps.cut();
        await within(over(), CUT_MS);
      }
      for (const timer of timers) clearInterval(timer);
      await putBackLines(db, [...running.keys()], 0, false).catch((error: unknown) =>
        onError("leases of lines could not be given back; they run out", error),
      );
    },
  };
}

/** By the stop of this process: its line runs again elsewhere. */
function wasCut({ answer }: LineEnd): boolean {
  return answer.state === "errored" && answer.status >= 500;
}
