/**
 * Protects: a caller's mistake reaches the caller, the operator's troubles never do (contract §4).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FaultCode } from "../../kernel/faults.ts";
import { OutgoingError } from "../../net/outgoing.ts";
import {
  BROKEN_OFF,
  failureOfStatus,
  failureOfTransport,
  faultOfBreak,
  faultOfFailure,
} from "./upstream-failure.ts";

const REFUSAL = { message: "said by the upstream", param: "messages", code: "unsupported_value" };

for (const [status, code, shown] of [
  [400, "invalid_request", true],
  [422, "invalid_request", true],
  [413, "request_too_large", true],
  [401, "upstream_error", false],
  [402, "upstream_error", false],
  [403, "upstream_error", false],
  [404, "upstream_error", false],
  [429, "upstream_error", false],
  [500, "upstream_error", false],
  [408, "upstream_timeout", false],
  [302, "upstream_error", false],
] as const) {
  test(`upstream status ${status} becomes ${code}${shown ? " in the upstream's words" : " without a word of the upstream"}`, () => {
    const fault = faultOfFailure(failureOfStatus(status, REFUSAL, null));
    assert.equal(fault.code, code);
    assert.equal(fault.message.includes(REFUSAL.message), shown);
  });
}

for (const [code, message] of [
  ["context_length_exceeded", "Too much."],
  [null, "prompt is too long: 250000 tokens > 200000 maximum"],
  [
    null,
    "This model's maximum context length is 128000 tokens. However, you requested 250000 tokens.",
  ],
  [null, "the request exceeds the available context size, try increasing it"],
] as const) {
  test(`agents are told by the code that the conversation is too long: ${code ?? message}`, () => {
    const stated = { message, param: null, code };
    const fault = faultOfFailure(failureOfStatus(400, stated, null));
    assert.deepEqual(
      [fault.code, fault.status, fault.retryable, fault.message],
      ["context_length_exceeded", 400, false, message],
    );
    assert.equal(faultOfFailure(failureOfStatus(413, stated, null)).code, "request_too_large");
    assert.equal(faultOfFailure(failureOfStatus(500, stated, null)).code, "upstream_error");
  });
}

test("how long a busy upstream asks to wait is passed on", () => {
  assert.equal(faultOfFailure(failureOfStatus(429, REFUSAL, 7)).details.retryAfterSeconds, 7);
  assert.equal(
    faultOfFailure(failureOfStatus(429, REFUSAL, null)).details.retryAfterSeconds,
    undefined,
  );
});

test("silence is a timeout, a refused connection is not", () => {
  assert.equal(
    faultOfFailure(failureOfTransport(new OutgoingError("first-byte-timeout", "x", null))).code,
    "upstream_timeout",
  );
  assert.equal(
    faultOfFailure(failureOfTransport(new OutgoingError("connect", "x", null))).code,
    "upstream_error",
  );
  const own = faultOfFailure(
    failureOfTransport(new OutgoingError("exhausted", "connect EMFILE", null)),
  );
  assert.deepEqual([own.code, own.details.retryAfterSeconds], ["overloaded", 1]);
});

test("a 400 keeps its plain code and type, and what programs read beside them", () => {
  const fields = { failed_generation: '{"name": "get_weather", "argum' };
  const text = {
    message: "Failed to call a function.",
    param: null,
    code: "tool_use_failed",
    type: "invalid_request_error",
    fields,
  };
  assert.deepEqual(faultOfFailure(failureOfStatus(400, text, null)).details.reported, {
    code: "tool_use_failed",
    type: "invalid_request_error",
    fields,
  });
  for (const code of [
    "1210",
    "two words",
    "x".repeat(80),
    "insufficient_quota",
    "account_deactivated",
    "[removed]",
  ]) {
    const { details } = faultOfFailure(
      failureOfStatus(400, { message: "no", param: null, code, type: null }, null),
    );
    assert.equal(details.reported?.code, null, code);
  }
});

test("a 400 that finds fault with our own key is the operator's, not the caller's", () => {
  for (const words of [
    { code: "invalid_api_key" },
    { code: "API_KEY_INVALID" },
    { code: null, type: "authentication_error" },
  ]) {
    const failure = failureOfStatus(
      400,
      { message: "Incorrect API key provided", param: null, ...words },
      null,
    );
    assert.deepEqual(
      [failure.kind, faultOfFailure(failure).message.includes("API key")],
      ["credentials", false],
    );
  }
});

test("an answer that broke off tells what its upstream told, in the class of its code, and nothing of the operator's accounts", () => {
  const table: readonly (readonly [Parameters<typeof faultOfBreak>[0], FaultCode, boolean])[] = [
    [{ message: "Token limit reached", status: null }, "upstream_error", true],
    [
      { message: "The output was filtered", status: 400, code: "content_filter" },
      "invalid_request",
      true,
    ],
    [{ message: "Overloaded", status: 529, type: "overloaded_error" }, "overloaded", true],
    [{ message: "Slow down", status: 429 }, "overloaded", true],
    [{ message: "Took too long", status: 504 }, "upstream_timeout", true],
    [{ message: "The engine fell over", status: 500 }, "upstream_error", true],
    [{ message: "Add credits to your account", status: 402 }, "upstream_error", false],
    [{ message: "Your key is not valid", status: 401 }, "upstream_error", false],
    [null, "upstream_error", false],
  ];
  for (const [error, code, reported] of table) {
    const fault = faultOfBreak(error);
    assert.deepEqual([fault.code, fault.message], [code, reported ? error?.message : BROKEN_OFF]);
  }
});
