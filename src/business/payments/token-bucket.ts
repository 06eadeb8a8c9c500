/**
 * Lets so many through at once, and so many more each second: for endpoints without a caller to
 * count by.
 */
import type { Clock } from "../../kernel/clock.ts";

export function createTokenBucket(
  clock: Pick<Clock, "monotonicMs">,
  { most, perSecond }: { readonly most: number; readonly perSecond: number },
): { take(): boolean } {
  let tokens = most;
  let filledMs = clock.monotonicMs();
  return {
    take() {
      const nowMs = clock.monotonicMs();
      // not money: turns of callers, refilled by the second
      tokens = Math.min(most, tokens + ((nowMs - filledMs) / 1000) * perSecond);
      filledMs = nowMs;
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}
