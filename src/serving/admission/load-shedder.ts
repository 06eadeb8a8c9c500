/**
 * How many requests may wait for this process itself, to be admitted or settled; those that wait
 * for an upstream do not count.
 */
import type { Clock } from "../../kernel/clock.ts";

export interface LoadShedderDeps {
  readonly clock: Clock;
  /** The part of the time since the call before in which this process had work to do: 0 to 1. */
  busyShare(): number;
  /** Connections of callers. Each has at most one request under way. */
  callers(): number;
}

export interface LoadShedder {
  /** Whether one more is too many. */
  full(): boolean;
  enter(): void;
  leave(): void;
}

/**
 * More requests than should ever come at once. One that is let in below it waits for tenths of a
 * second.
 */
export const MOST_WAITING = 1_500;
/**
 * How many may wait once there were too many: they keep the process busy, and each waits for
 * hundredths of a second.
 */
export const FEW_WAITING = 150;
const ADJUST_EVERY_MS = 100;
const GROWTH = 1.1;
/** A process that is busier than this leaves requests unread, and those cannot even be refused. */
const TOO_BUSY = 0.95;

/**
 * Past its capacity a gateway that refuses no request serves none in time, and to refuse takes time
 * too. So once the crowd was too large only few are let in, until the process has time to spare;
 * from there slowly more. Fewer callers than may wait are no crowd: a few hundred who come again at
 * once, whatever they are told, would keep a process busy with refusals that could serve them all.
 */
export function createLoadShedder({ clock, busyShare, callers }: LoadShedderDeps): LoadShedder {
  let waiting = 0;
  let limit = MOST_WAITING;
  let adjustAtMs = 0;

  function adjust(nowMs: number): void {
    adjustAtMs = nowMs + ADJUST_EVERY_MS;
    limit = busyShare() > TOO_BUSY ? FEW_WAITING : Math.min(MOST_WAITING, limit * GROWTH);
  }

  return {
    full() {
      if (limit < MOST_WAITING) {
        const nowMs = clock.monotonicMs();
        if (nowMs >= adjustAtMs) adjust(nowMs);
      }
      if (waiting < limit || callers() < MOST_WAITING) return false;
      if (limit === MOST_WAITING) {
        limit = FEW_WAITING;
        adjustAtMs = clock.monotonicMs() + ADJUST_EVERY_MS;
        busyShare();
      }
      return true;
    },
    enter() {
      waiting += 1;
    },
    leave() {
      waiting -= 1;
    },
  };
}
