/**
 * How much of a turn of the event loop newcomers may take, where turns stay long: what was let in
 * waits for a handful of them.
 */
import type { Clock } from "../../kernel/clock.ts";

export interface TurnBudgetDeps {
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Calls `ended` when this turn of the event loop has done all that had arrived. */
  afterTurn(ended: () => void): void;
  /** How long the event loop has had nothing to do, since whenever: it only grows. */
  idleMs(): number;
}

export interface TurnBudget {
  /** A request has arrived. False: turns stay long, and this one has no time left for it. */
  allows(): boolean;
  /** Turns stay long. */
  readonly pressed: boolean;
  /** The same, asked for work that is no newcomer: the turn is measured, and takes nothing of theirs. */
  look(): boolean;
}

/**
 * Of a turn, from its first newcomer on. A request is touched in four or five turns, so that what
 * is let in waits for a few hundredths of a second at most.
 */
export const TURN_MS = 3;
/** A burst is over sooner; and who was refused a moment ago may come again at once. */
export const PATIENCE_MS = 250;
/**
 * A process with more time to spare than this part of it is not past its capacity: its turns are
 * long because other processes have the processor.
 */
export const SPARE = 0.2;

export function createTurnBudget({ clock, afterTurn, idleMs }: TurnBudgetDeps): TurnBudget {
  /** Since when this turn is measured; null: it is not. */
  let beganMs: number | null = null;
  /** When the first request of this turn arrived; null while none has. */
  let newcomerMs: number | null = null;
  /** Since when no turn was short; null after a short one. */
  let longSinceMs: number | null = null;
  /** As it was then. */
  let idleBeforeMs = 0;
  let pressed = false;
  let lastRefusalMs = 0;

  function ended(): void {
    const nowMs = clock.monotonicMs();
    const tookMs = nowMs - (beganMs ?? nowMs);
    beganMs = null;
    newcomerMs = null;
    // While callers are refused turns are short for that very reason.
    if (pressed) pressed = nowMs - lastRefusalMs < PATIENCE_MS;
    else if (tookMs < TURN_MS) longSinceMs = null;
    else if (longSinceMs === null) {
      longSinceMs = nowMs - tookMs;
      idleBeforeMs = idleMs();
    } else if (nowMs - longSinceMs >= PATIENCE_MS) {
      pressed = idleMs() - idleBeforeMs < SPARE * (nowMs - longSinceMs);
      lastRefusalMs = nowMs;
      longSinceMs = null;
    }
  }

  function measure(nowMs: number): void {
    if (beganMs !== null) return;
    beganMs = nowMs;
    afterTurn(ended);
  }

  return {
    allows() {
      const nowMs = clock.monotonicMs();
      measure(nowMs);
      newcomerMs ??= nowMs;
      if (!pressed || nowMs - newcomerMs < TURN_MS) return true;
      lastRefusalMs = nowMs;
      return false;
    },
    get pressed() {
      return pressed;
    },
    look() {
      measure(clock.monotonicMs());
      return pressed;
    },
  };
}
