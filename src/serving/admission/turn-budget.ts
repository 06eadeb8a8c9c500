/**
 * How much of a turn of the event loop newcomers may take, where turns stay long: what was let in
 * waits for a handful of them.
 */
import type { Clock } from "../../kernel/clock.ts";

export interface TurnBudgetDeps {
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Calls `ended` when this turn of the event loop has done all that had arrived. */
  afterTurn(ended: () => void): void;
}

export interface TurnBudget {
  /** A request has arrived. False: turns stay long, and this one has no time left for it. */
  allows(): boolean;
  /** Turns stay long. */
  readonly pressed: boolean;
}

/**
 * Of a turn, from its first newcomer on. A request is touched in four or five turns, so that what
 * is let in waits for a few hundredths of a second at most.
 */
export const TURN_MS = 3;
/** A burst is over sooner; and who was refused a moment ago may come again at once. */
export const PATIENCE_MS = 250;

export function createTurnBudget({ clock, afterTurn }: TurnBudgetDeps): TurnBudget {
  /** When the first request of this turn arrived; null while none has. */
  let beganMs: number | null = null;
  /** Since when no turn was short; null after a short one. */
  let longSinceMs: number | null = null;
  let pressed = false;
  let lastRefusalMs = 0;

  function ended(): void {
    const nowMs = clock.monotonicMs();
    const tookMs = nowMs - (beganMs ?? nowMs);
    beganMs = null;
    if (tookMs < TURN_MS) longSinceMs = null;
    else longSinceMs ??= nowMs - tookMs;
    // While callers are refused turns are short for that very reason.
    if (pressed) pressed = nowMs - lastRefusalMs < PATIENCE_MS;
    else if (longSinceMs !== null && nowMs - longSinceMs >= PATIENCE_MS) {
      pressed = true;
      lastRefusalMs = nowMs;
    }
  }

  return {
    allows() {
      const nowMs = clock.monotonicMs();
      if (beganMs === null) {
        beganMs = nowMs;
        afterTurn(ended);
      }
      if (!pressed || nowMs - beganMs < TURN_MS) return true;
      lastRefusalMs = nowMs;
      return false;
    },
    get pressed() {
      return pressed;
    },
  };
}
