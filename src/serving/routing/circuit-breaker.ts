/**
 * How one route or one credential stands since it last worked: rested, open, or to be probed (a
 * circuit breaker with a soft step before it).
 */
import type { BreakerState } from "../../contract/enums/breaker-state.ts";
import { longerMs, type Backoff } from "../../kernel/backoff.ts";
import type { Clock } from "../../kernel/clock.ts";

export type CircuitView =
  /** May be called. After a rest or an open time the first call is the one probe. */
  | { readonly kind: "ready" }
  /** Better not called while there is another; as the last resort it may be. */
  | { readonly kind: "resting"; readonly retryInMs: number; readonly probed: boolean }
  /** Not to be called: its circuit is open, or an operator took it out. */
  | { readonly kind: "open"; readonly retryInMs: number; readonly takenOut?: true };

export interface CircuitBreaker {
  /** In a row, without a success between. */
  readonly failures: number;
  /** Resting until its next success, the time of its probe included. */
  readonly state: BreakerState;
  view(): CircuitView;
  /** A call begins. True: it is the probe, and others wait for what becomes of it. */
  begin(): boolean;
  /** The call is over, whatever became of it: where it was the probe, the next may be. */
  ended(probe: boolean): void;
  /** Rests for so long without having failed: it is busy. */
  pause(ms: number): void;
  /**
   * A failure. It rests once `restAfter` failures came in a row: `pauses`, doubled with each failed
   * probe. Each pause goes on from the last one, which may have been of another kind; there is no
   * jitter, since of all calls that wait for its end one is the probe.
   */
  failed(probe: boolean, restAfter: number, pauses: Backoff): void;
  /** The circuit opens, or opens again after its probe has failed. */
  breakOpen(pauses: Backoff): void;
  /**
   * What is open stays so for as long as the last time at least, and for `ms`. Says nothing to what
   * is closed.
   */
  stayOpen(ms: number): void;
}

/** A probe that takes longer keeps no other request from probing. */
const PROBE_LIMIT_MS = 60_000;
/** How soon to ask again while a probe is under way. */
const PROBE_WAIT_MS = 1_000;

const READY: CircuitView = { kind: "ready" };

/** A breaker without a blemish. Once its owner works again it is thrown away, not mended. */
export function createCircuitBreaker(clock: Clock): CircuitBreaker {
  let failures = 0;
  let restUntilMs = -Infinity;
  /** Of the last rest that failures brought; what comes after one is a probe. */
  let restMs = 0;
  let openUntilMs = -Infinity;
  let openMs = 0;
  let probeUntilMs = -Infinity;

  const probing = (nowMs: number): boolean => nowMs < probeUntilMs;
  const isOpen = (): boolean => openMs > 0;

  function view(): CircuitView {
    const nowMs = clock.monotonicMs();
    if (isOpen() && nowMs < openUntilMs) return { kind: "open", retryInMs: openUntilMs - nowMs };
    if (isOpen() && probing(nowMs)) return { kind: "open", retryInMs: PROBE_WAIT_MS };
    if (nowMs < restUntilMs)
      return { kind: "resting", retryInMs: restUntilMs - nowMs, probed: false };
    return restMs > 0 && probing(nowMs)
      ? { kind: "resting", retryInMs: PROBE_WAIT_MS, probed: true }
      : READY;
  }

  return {
    get failures() {
      return failures;
    },
    get state() {
      if (isOpen()) return "open";
      return restMs > 0 || view().kind === "resting" ? "resting" : "closed";
    },
    view,

    begin() {
      // As the last resort an open one may be called while it still rests: that is its probe as
      // well.
      const probe = isOpen() ? view().kind !== "open" : restMs > 0 && view().kind === "ready";
      if (probe) probeUntilMs = clock.monotonicMs() + PROBE_LIMIT_MS;
      return probe;
    },

    ended(probe) {
      if (probe) probeUntilMs = -Infinity;
    },

    pause(ms) {
      restUntilMs = Math.max(restUntilMs, clock.monotonicMs() + ms);
    },

    failed(probe, restAfter, pauses) {
      failures += 1;
      // What began before the rest, or went on through it, tells nothing new.
      if (failures < restAfter || (restMs > 0 && !probe)) return;
      restMs = longerMs(restMs, pauses);
      restUntilMs = Math.max(restUntilMs, clock.monotonicMs() + restMs);
    },

    breakOpen(pauses) {
      openMs = longerMs(openMs, pauses);
      openUntilMs = clock.monotonicMs() + openMs;
    },

    stayOpen(ms) {
      openUntilMs = Math.max(openUntilMs, clock.monotonicMs() + Math.max(openMs, ms));
    },
  };
}
