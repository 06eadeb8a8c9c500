/**
 * Time as a dependency, so that nothing below the endpoints reads the machine's clock by itself.
 */

export interface Clock {
  /** Wall time; never used to decide money (the database's clock does that). */
  now(): Date;
  /** Milliseconds that only grow; for durations and deadlines. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};
