/**
 * Guards what callers are told of their limits: what is left and when there is more, of the tighter
 * subject, and the limit that keeps them out the longest.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_RATE_LIMITS, type RateLimits } from "../kernel/rate-limits.ts";
import { explainDecision } from "./explain-decision.ts";
import type { LimitRequest, SubjectUse } from "./limit-verdicts.ts";

const AT = new Date("2026-06-01T00:00:00Z");
const ONE = 60_000_000n;
const NOTHING: SubjectUse = { requests: 0n, tokens: 0n, running: 0n };

function request(
  key: Partial<RateLimits>,
  account: Partial<RateLimits> | null = null,
  tokens = 0,
): LimitRequest {
  const first = { subjectId: "key", limits: { ...NO_RATE_LIMITS, ...key } };
  const second = { subjectId: "account", limits: { ...NO_RATE_LIMITS, ...account } };
  return { requestId: "r", subjects: account === null ? [first] : [first, second], tokens };
}

test("what is left is whole requests and tokens, and the reset is when all of it is there again, rounded up to a millisecond", () => {
  const used = { requests: 3n * ONE - 1n, tokens: 1n, running: 2n };
  const verdict = explainDecision(
    request({ requestsPerMinute: 10, tokensPerMinute: 1000, maxConcurrent: 5 }),
    {
      at: AT,
      admitted: true,
      used: [used],
    },
  );
  assert.deepEqual(verdict, {
    kind: "admitted",
    standing: {
      at: AT,
      requests: { limit: 10, remaining: 7, resetMs: 18_000 },
      tokens: { limit: 1000, remaining: 999, resetMs: 1 },
      concurrent: { limit: 5, remaining: 3 },
    },
  });
});

test("what was never limited is not told, and a debt leaves nothing and resets later", () => {
  const verdict = explainDecision(request({ tokensPerMinute: 60 }), {
    at: AT,
    admitted: true,
    used: [{ ...NOTHING, tokens: 180n * ONE }],
  });
  assert.deepEqual(verdict.standing, {
    at: AT,
    requests: null,
    tokens: { limit: 60, remaining: 0, resetMs: 180_000 },
    concurrent: null,
  });
});

test("of two subjects the one with the least left is told, limit by limit", () => {
  const verdict = explainDecision(
    request(
      { requestsPerMinute: 10, maxConcurrent: 9 },
      { requestsPerMinute: 100, maxConcurrent: 2 },
    ),
    {
      at: AT,
      admitted: true,
      used: [
        { ...NOTHING, requests: 4n * ONE, running: 1n },
        { ...NOTHING, requests: 97n * ONE, running: 1n },
      ],
    },
  );
  assert.deepEqual(verdict.standing.requests, { limit: 100, remaining: 3, resetMs: 58_200 });
  assert.deepEqual(verdict.standing.concurrent, { limit: 2, remaining: 1 });
});

test("a refusal names the limit that keeps the request out the longest, and how long", () => {
  const limits = { requestsPerMinute: 6, tokensPerMinute: 600, maxConcurrent: 1 };
  const refused = (used: Partial<SubjectUse>, tokens = 100) => {
    const verdict = explainDecision(request(limits, null, tokens), {
      at: AT,
      admitted: false,
      used: [{ ...NOTHING, ...used }],
    });
    assert.ok(verdict.kind === "refused");
    return verdict.obstacle;
  };
  assert.deepEqual(refused({ requests: 6n * ONE }), {
    subjectId: "key",
    kind: "requests",
    limit: 6,
    waitMs: 10_000,
  });
  assert.deepEqual(refused({ tokens: 520n * ONE }), {
    subjectId: "key",
    kind: "tokens",
    limit: 600,
    waitMs: 2_000,
  });
  assert.deepEqual(refused({ running: 1n }), {
    subjectId: "key",
    kind: "concurrent",
    limit: 1,
    waitMs: null,
  });
  assert.equal(refused({ requests: 6n * ONE, tokens: 600n * ONE, running: 1n }).kind, "requests");
  assert.equal(refused({ requests: 5n * ONE + 1n, running: 1n }).kind, "concurrent");
  // More than the bucket holds: it has to be full, and no more.
  assert.equal(refused({ tokens: 60n * ONE }, 1_000_000).waitMs, 6_000);
});
