/** How a circuit breaker stands, the worst last. */

/** `resting`: for a while nothing is sent there. */
export const BREAKER_STATES = ["closed", "resting", "open"] as const;
export type BreakerState = (typeof BREAKER_STATES)[number];
