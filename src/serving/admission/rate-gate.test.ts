/**
 * Guards the way into the limits: who has none costs nothing, who is refused hears which limit and
 * when, and what was used is told once.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { keyRecord } from "../../../test/support/key-record.ts";
import { Fault } from "../../kernel/faults.ts";
import { newUuid } from "../../kernel/ids.ts";
import { NO_RATE_LIMITS, type RateLimits, type RateStanding } from "../../kernel/rate-limits.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { LimitRequest, LimitVerdict, Obstacle } from "../../limits/limit-verdicts.ts";
import type { Caller } from "./find-caller.ts";
import { createRateGate } from "./rate-gate.ts";

const STANDING: RateStanding = {
  at: new Date(0),
  requests: { limit: 10, remaining: 0, resetMs: 60_000 },
  tokens: null,
  concurrent: null,
};

function caller(key: Partial<RateLimits>, account: Partial<RateLimits> = {}): Caller {
  return {
    ...keyRecord({ keyId: "key", accountId: "account", ...key }),
    accountLimits: { ...NO_RATE_LIMITS, ...account },
  };
}

function stage(verdict: LimitVerdict = { kind: "admitted", standing: STANDING }) {
  const asked: LimitRequest[] = [];
  const ended: number[] = [];
  const refusals: unknown[] = [];
  const errors: unknown[] = [];
  const gate = createRateGate({
    limiter: {
      ask: async (request) => {
        asked.push(request);
        return verdict;
      },
      end: async (_, usedTokens) => {
        ended.push(usedTokens);
        if (usedTokens === 0) throw new Error("out of reach");
      },
    },
    onRefused: (refusal) => refusals.push(refusal),
    onError: (error) => errors.push(error),
  });
  return { gate, asked, ended, refusals, errors };
}

async function refused(
  obstacle: Omit<Obstacle, "subjectId"> & { subjectId?: string },
): Promise<{ fault: Fault; refusals: unknown[] }> {
  const { gate, refusals } = stage({
    kind: "refused",
    standing: STANDING,
    obstacle: { subjectId: "key", ...obstacle },
  });
  const thrown = await Promise.resolve(
    gate.admit(caller({ requestsPerMinute: 10 }), newUuid(), 5),
  ).then(
    () => null,
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof Fault);
  return { fault: thrown, refusals };
}

test("for a caller without limits the limiter is not asked, at the end neither", async () => {
  const { gate, asked, ended } = stage();
  const pass = await gate.admit(caller({}), newUuid(), 5);
  await pass.end({ ...NO_USAGE, outputTokens: 5 });
  assert.deepEqual([pass.standing, asked, ended], [null, [], []]);
});

test("only those are asked for that have a limit", async () => {
  const { gate, asked } = stage();
  await gate.admit(caller({ requestsPerMinute: 1 }), newUuid(), 5);
  await gate.admit(caller({}, { tokensPerMinute: 1 }), newUuid(), 5);
  await gate.admit(caller({ maxConcurrent: 1 }, { tokensPerMinute: 1 }), newUuid(), 5);
  assert.deepEqual(
    asked.map(({ subjects }) => subjects.map(({ subjectId }) => subjectId)),
    [["key"], ["account"], ["key", "account"]],
  );
});

test("every token counts once, whatever kind it is of, and the end is told once; that it could not be told harms no request", async () => {
  const { gate, ended, errors } = stage();
  const pass = await gate.admit(caller({ tokensPerMinute: 1 }), newUuid(), 5);
  assert.equal(pass.standing, STANDING);
  const usage = {
    inputTokens: 1,
    cachedInputTokens: 10,
    cacheWrite5mTokens: 100,
    cacheWrite1hTokens: 1_000,
    outputTokens: 10_000,
  };
  await pass.end({ ...usage, reasoningTokens: 5_000, images: 3 });
  await pass.end(NO_USAGE);
  await (await gate.admit(caller({ tokensPerMinute: 1 }), newUuid(), 5)).end(NO_USAGE);
  assert.deepEqual([ended, errors.map(String)], [[11_111, 0], ["Error: out of reach"]]);
});

test("a refusal names the limit, whose it is and when to come again, and is counted", async () => {
  const requests = await refused({ kind: "requests", limit: 10, waitMs: 5_001 });
  assert.equal(requests.fault.code, "rate_limit_exceeded");
  assert.equal(
    requests.fault.message,
    "This API key may make 10 requests per minute. There is room for the next one in 6 s.",
  );
  assert.deepEqual(
    [requests.fault.details.retryAfterSeconds, requests.fault.details.standing],
    [6, STANDING],
  );
  assert.deepEqual(requests.refusals, [{ of: "key", kind: "requests" }]);
  const tokens = await refused({ kind: "tokens", limit: 1000, waitMs: 20, subjectId: "account" });
  assert.match(
    tokens.fault.message,
    /^This account, .* may use 1000 tokens per minute.* in 1 s\.$/,
  );
  assert.deepEqual(
    [tokens.fault.details.retryAfterSeconds, tokens.refusals],
    [1, [{ of: "account", kind: "tokens" }]],
  );
  const places = await refused({ kind: "concurrent", limit: 5, waitMs: null });
  assert.match(places.fault.message, /may have 5 requests running at once/);
  assert.equal(places.fault.details.retryAfterSeconds, 1);
});
