/** Reads the rate limits that a member or an operator wants for a key or an account. */
import type { LimitedBy } from "../../contract/panel/panel-refusal.ts";
import { sayFieldRefusal } from "../../contract/sentences/say-refusal.ts";
import { Fault } from "../../kernel/faults.ts";
import { HIGHEST_RATE_LIMITS, type RateLimits } from "../../kernel/rate-limits.ts";

/** They alone. Throws Fault("invalid_request") naming the one that cannot be. */
export function readRateLimits(given: RateLimits): RateLimits {
  return {
    requestsPerMinute: readLimit(
      given.requestsPerMinute,
      HIGHEST_RATE_LIMITS.requestsPerMinute,
      "rpm",
      "requests",
    ),
    tokensPerMinute: readLimit(
      given.tokensPerMinute,
      HIGHEST_RATE_LIMITS.tokensPerMinute,
      "tpm",
      "tokens",
    ),
    maxConcurrent: readLimit(
      given.maxConcurrent,
      HIGHEST_RATE_LIMITS.maxConcurrent,
      "concurrency",
      "concurrent",
    ),
    maxTasks: readLimit(given.maxTasks, HIGHEST_RATE_LIMITS.maxTasks, "tasks", "tasks"),
  };
}

function readLimit(
  given: number | null,
  highest: number,
  param: string,
  kind: LimitedBy,
): number | null {
  if (given === null || (Number.isInteger(given) && given >= 1 && given <= highest)) return given;
  throw new Fault(
    "invalid_request",
    sayFieldRefusal(param, "rate_limit_range", { kind, limit: highest }),
  );
}
