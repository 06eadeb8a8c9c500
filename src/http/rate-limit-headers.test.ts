/**
 * Guards the headers by which clients pace themselves: each vendor's own names and forms, and
 * `x-ratelimit-*` with every refusal (contract §4).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../kernel/faults.ts";
import type { RateStanding } from "../kernel/rate-limits.ts";
import { renderFault } from "./error-family.ts";
import { rateLimitHeaders } from "./rate-limit-headers.ts";

const STANDING: RateStanding = {
  at: new Date("2026-06-01T00:00:00.250Z"),
  requests: { limit: 60, remaining: 59, resetMs: 1_000 },
  tokens: { limit: 90_000, remaining: 0, resetMs: 360_000 },
  concurrent: { limit: 5, remaining: 2 },
};

const OPENAI = {
  "x-ratelimit-limit-requests": "60",
  "x-ratelimit-remaining-requests": "59",
  "x-ratelimit-reset-requests": "1s",
  "x-ratelimit-limit-tokens": "90000",
  "x-ratelimit-remaining-tokens": "0",
  "x-ratelimit-reset-tokens": "6m0s",
};
const ANTHROPIC = {
  "anthropic-ratelimit-requests-limit": "60",
  "anthropic-ratelimit-requests-remaining": "59",
  "anthropic-ratelimit-requests-reset": "2026-06-01T00:00:02Z",
  "anthropic-ratelimit-tokens-limit": "90000",
  "anthropic-ratelimit-tokens-remaining": "0",
  "anthropic-ratelimit-tokens-reset": "2026-06-01T00:06:01Z",
};
const CONCURRENT = { "x-ratelimit-limit-concurrent": "5", "x-ratelimit-remaining-concurrent": "2" };

test("an answer carries the headers of its protocol", () => {
  assert.deepEqual(rateLimitHeaders("openai", STANDING, false), { ...OPENAI, ...CONCURRENT });
  assert.deepEqual(rateLimitHeaders("anthropic", STANDING, false), { ...ANTHROPIC, ...CONCURRENT });
});

test("what is not limited is not told", () => {
  const nothing = { at: STANDING.at, requests: null, tokens: null, concurrent: null };
  assert.deepEqual(rateLimitHeaders("openai", nothing, true), {});
  assert.deepEqual(
    rateLimitHeaders("anthropic", { ...nothing, concurrent: STANDING.concurrent }, true),
    CONCURRENT,
  );
});

test("durations are written as clients read them", () => {
  const reset = (resetMs: number): string | undefined =>
    rateLimitHeaders(
      "openai",
      { ...STANDING, requests: { limit: 1, remaining: 0, resetMs } },
      false,
    )["x-ratelimit-reset-requests"];
  const forms = [0, 20, 999, 1_000, 8_640, 59_999, 60_000, 432_000, 3_605_000].map(reset);
  assert.deepEqual(forms, [
    "0s",
    "20ms",
    "999ms",
    "1s",
    "8.64s",
    "59.999s",
    "1m0s",
    "7m12s",
    "1h0m5s",
  ]);
});

test("a refusal says when to come again, in whole seconds, and how the caller stands, in every family", () => {
  const fault = new Fault("rate_limit_exceeded", { retryAfterSeconds: 6, standing: STANDING });
  for (const [family, own] of [
    ["openai", {}],
    ["anthropic", ANTHROPIC],
    ["tasks", {}],
  ] as const) {
    const { status, headers } = renderFault(family, fault, "req_0");
    const { "content-type": _, ...rest } = headers;
    assert.equal(status, 429);
    assert.deepEqual(rest, { "retry-after": "6", ...OPENAI, ...own, ...CONCURRENT }, family);
  }
});
