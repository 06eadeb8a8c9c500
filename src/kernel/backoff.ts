/**
 * How long to wait before the next try: longer after each one that failed, and never at the same
 * moment as all the others.
 */

export interface Backoff {
  /** Milliseconds after the first try that failed; doubled after each later one. */
  readonly firstMs: number;
  /** Milliseconds that the doubling stops at. Jitter comes on top of it. */
  readonly longestMs: number;
  /** Jitter: the largest part, from 0 to 1, by which a pause is shorter or longer. */
  readonly spread?: number;
}

/**
 * A fifth down or up: enough to part those that failed together, and a pause stays what its name
 * says.
 */
const USUAL_SPREAD = 0.2;
/** What a timer can tell from no pause at all. */
const SHORTEST_MS = 1;

/**
 * Milliseconds, at least 1. `failed`: tries before the one that failed last, so 0 gives the first
 * pause. `random` gives numbers in [0, 1).
 */
export function backoffMs(
  failed: number,
  { firstMs, longestMs, spread }: Backoff,
  random: () => number,
): number {
  return Math.max(
    SHORTEST_MS,
    jittered(Math.min(longestMs, firstMs * 2 ** failed), random, spread),
  );
}

/**
 * The pause after one of `lastMs`, 0 for none, without jitter: where pauses of different lengths
 * follow each other, and only one caller waits for each.
 */
export function longerMs(lastMs: number, { firstMs, longestMs }: Omit<Backoff, "spread">): number {
  return lastMs === 0 ? firstMs : Math.min(longestMs, Math.max(firstMs, lastMs * 2));
}

/**
 * The same length on average, at most `spread` of it shorter or longer: for pauses whose schedule
 * is their own.
 */
export function jittered(ms: number, random: () => number, spread = USUAL_SPREAD): number {
  return ms * (1 - spread + 2 * spread * random());
}
