/** Rate limits: what a key or an account may ask for, and how it stands after a request. */

/** Null: no limit. */
export interface RateLimits {
  readonly requestsPerMinute: number | null;
  /** Input, cached input and output together. */
  readonly tokensPerMinute: number | null;
  /** Chat requests that run at the same time. */
  readonly maxConcurrent: number | null;
  /** Tasks that have not ended. */
  readonly maxTasks: number | null;
}

export const NO_RATE_LIMITS: RateLimits = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  maxConcurrent: null,
  maxTasks: null,
};

/** The highest limit of each kind that can be set; the lowest is 1. */
export const HIGHEST_RATE_LIMITS = {
  requestsPerMinute: 1_000_000,
  tokensPerMinute: 100_000_000,
  maxConcurrent: 10_000,
  maxTasks: 100_000,
} as const;

/** They alone, of something that has more. */
export function rateLimitsOf({
  requestsPerMinute,
  tokensPerMinute,
  maxConcurrent,
  maxTasks,
}: RateLimits): RateLimits {
  return { requestsPerMinute, tokensPerMinute, maxConcurrent, maxTasks };
}

/** By what is counted at each request; unfinished tasks are counted where one is ordered. */
export function isRateLimited(limits: RateLimits): boolean {
  return (
    limits.requestsPerMinute !== null ||
    limits.tokensPerMinute !== null ||
    limits.maxConcurrent !== null
  );
}

/** What is left of a limit per minute. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Until all of it is there again, if nothing more is asked for. */
  readonly resetMs: number;
}

/** How a caller stands to its limits; null where there is none. */
export interface RateStanding {
  /** By the clock that counts. */
  readonly at: Date;
  readonly requests: Allowance | null;
  readonly tokens: Allowance | null;
  readonly concurrent: { readonly limit: number; readonly remaining: number } | null;
}
