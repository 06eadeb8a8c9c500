/** The rate limits as options: `--rpm N --tpm N --concurrency N --tasks N`. */
import { HIGHEST_RATE_LIMITS, type RateLimits } from "../kernel/rate-limits.ts";
import { readWholeNumber } from "./read-values.ts";

const OPTIONS = {
  requestsPerMinute: "rpm",
  tokensPerMinute: "tpm",
  maxConcurrent: "concurrency",
  maxTasks: "tasks",
} as const;
const NAMES = ["requestsPerMinute", "tokensPerMinute", "maxConcurrent", "maxTasks"] as const;

/**
 * Those that were given, or what is wrong with one. `none`: the words that stand for no limit,
 * where there may be one to remove.
 */
export function readRateLimitOptions(
  options: ReadonlyMap<string, string>,
  none: readonly string[] = [],
): Partial<RateLimits> | string {
  const limits: { -readonly [name in keyof RateLimits]?: RateLimits[name] } = {};
  for (const name of NAMES) {
    const text = options.get(OPTIONS[name]);
    if (text === undefined) continue;
    const number = none.includes(text) ? null : readWholeNumber(text, 1, HIGHEST_RATE_LIMITS[name]);
    const orNone = none.length === 0 ? "" : `; or ${none.join(" or ")} for no limit`;
    if (number === null && !none.includes(text)) {
      return `--${OPTIONS[name]} "${text}" is not a whole number from 1 to ${HIGHEST_RATE_LIMITS[name]}${orNone}`;
    }
    limits[name] = number;
  }
  return limits;
}

/** For people: `60 requests/min, 5 at once`; empty without limits. */
export function describeRateLimits(limits: RateLimits): string {
  const { requestsPerMinute, tokensPerMinute, maxConcurrent, maxTasks } = limits;
  return [
    ...(requestsPerMinute === null ? [] : [`${requestsPerMinute} requests/min`]),
    ...(tokensPerMinute === null ? [] : [`${tokensPerMinute} tokens/min`]),
    ...(maxConcurrent === null ? [] : [`${maxConcurrent} at once`]),
    ...(maxTasks === null ? [] : [`${maxTasks} unfinished tasks`]),
  ].join(", ");
}
