/** How a caller stands to its rate limits, in the headers that clients of each protocol know. */
import type { Allowance, RateStanding } from "../kernel/rate-limits.ts";

type Headers = Record<string, string>;

/**
 * Of an answer, and of the refusal of a caller: there the `x-ratelimit-*` ones are always among
 * them (contract §4).
 */
export function rateLimitHeaders(
  family: "openai" | "anthropic" | "tasks" | "panel",
  standing: RateStanding,
  refused: boolean,
): Headers {
  const { at, requests, tokens, concurrent } = standing;
  const headers: Headers = {};
  if (family === "anthropic")
    Object.assign(headers, anthropic("requests", requests, at), anthropic("tokens", tokens, at));
  if (family !== "anthropic" || refused)
    Object.assign(headers, openAi("requests", requests), openAi("tokens", tokens));
  // No vendor has a header for it.
  if (concurrent !== null) {
    headers["x-ratelimit-limit-concurrent"] = String(concurrent.limit);
    headers["x-ratelimit-remaining-concurrent"] = String(concurrent.remaining);
  }
  return headers;
}

/**
 * https://platform.openai.com/docs/guides/rate-limits: `reset` is how long until all of the limit
 * is there again.
 */
function openAi(what: string, allowance: Allowance | null): Headers {
  if (allowance === null) return {};
  return {
    [`x-ratelimit-limit-${what}`]: String(allowance.limit),
    [`x-ratelimit-remaining-${what}`]: String(allowance.remaining),
    [`x-ratelimit-reset-${what}`]: duration(allowance.resetMs),
  };
}

/**
 * https://docs.claude.com/en/api/rate-limits: `reset` is when all of the limit is there again, as
 * RFC 3339.
 */
function anthropic(what: string, allowance: Allowance | null, at: Date): Headers {
  if (allowance === null) return {};
  return {
    [`anthropic-ratelimit-${what}-limit`]: String(allowance.limit),
    [`anthropic-ratelimit-${what}-remaining`]: String(allowance.remaining),
    [`anthropic-ratelimit-${what}-reset`]: wholeSecond(new Date(at.getTime() + allowance.resetMs)),
  };
}

/** `20ms`, `1s`, `8.64s`, `6m0s`, `1h0m5s`. */
function duration(ms: number): string {
  if (ms > 0 && ms < 1000) return `${ms}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor(ms / 60_000) % 60;
  const seconds = (ms % 60_000) / 1000;
  return `${hours > 0 ? `${hours}h` : ""}${ms >= 60_000 ? `${minutes}m` : ""}${seconds}s`;
}

/** Not before the moment: `2026-06-01T00:00:06Z`. */
function wholeSecond(moment: Date): string {
  return `${new Date(Math.ceil(moment.getTime() / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}
