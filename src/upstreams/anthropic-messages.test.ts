/**
 * Guarantee: a Messages upstream gets what the protocol defines, as the caller sent it, and the
 * operator's credential (contract §5).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { anthropicCountTokensRequest, anthropicMessagesRequest } from "./anthropic-messages.ts";
import type { ChatUpstreamCall } from "./chat-post.ts";

const TIMEOUTS = { connect: 1, firstByte: 2, idle: 3 };
const CALL: ChatUpstreamCall = {
  body: Buffer.from("{}"),
  credential: "secret",
  stream: true,
  traceparent: null,
  forward: {},
  query: "",
};

const build = (baseUrl: string, call: Partial<ChatUpstreamCall> = {}) =>
  anthropicMessagesRequest({ baseUrl, timeoutsMs: TIMEOUTS }, { ...CALL, ...call });

test("the path stands under /v1, whether or not the base ends with it", () => {
  const paths: [string, string][] = [
    ["https://api.example.com", "/v1/messages"],
    ["https://api.example.com/", "/v1/messages"],
    ["https://api.example.com/v1", "/v1/messages"],
    ["https://api.example.com/v1/", "/v1/messages"],
    ["https://api.example.com/anthropic", "/anthropic/v1/messages"],
    ["https://api.example.com/anthropic/v1", "/anthropic/v1/messages"],
    ["https://api.example.com/v1?key=a", "/v1/messages?key=a"],
  ];
  for (const [base, path] of paths) {
    assert.deepEqual(
      [build(base).origin, build(base).path],
      ["https://api.example.com", path],
      base,
    );
  }
  const count = anthropicCountTokensRequest(
    { baseUrl: "https://api.example.com/v1", timeoutsMs: TIMEOUTS },
    CALL,
  );
  assert.deepEqual([count.method, count.path], ["POST", "/v1/messages/count_tokens"]);
});

test("the caller's query goes on, behind the upstream's own", () => {
  assert.equal(build("https://x/v1", { query: "?beta=true" }).path, "/v1/messages?beta=true");
  assert.equal(
    build("https://x/v1?key=a", { query: "?beta=true" }).path,
    "/v1/messages?key=a&beta=true",
  );
});

test("headers: the operator's credential, the caller's version and betas byte for byte", () => {
  assert.deepEqual(build("https://x").headers, {
    "anthropic-version": "2023-06-01",
    "x-api-key": "secret",
    "content-type": "application/json",
    accept: "text/event-stream",
    "accept-encoding": "identity",
    "user-agent": "tollgate",
  });
  const forward = {
    "anthropic-version": "2024-01-01",
    "anthropic-beta": "a-2025-01-01, b-2025-02-02,c",
  };
  const { headers } = build("https://x", { forward, stream: false, traceparent: "00-1-2-01" });
  assert.deepEqual(
    [
      headers["anthropic-version"],
      headers["anthropic-beta"],
      headers["accept"],
      headers["traceparent"],
    ],
    ["2024-01-01", "a-2025-01-01, b-2025-02-02,c", "application/json", "00-1-2-01"],
  );
  assert.equal(
    build("https://x", { forward: { "x-api-key": "the caller's" } }).headers["x-api-key"],
    "secret",
  );
});

test("the body and the deadlines are those of the call and the target", () => {
  const body = Buffer.from('{"model":"m"}');
  const request = build("https://x", { body });
  assert.equal(request.body, body);
  assert.deepEqual(
    [request.connectTimeoutMs, request.firstByteTimeoutMs, request.idleTimeoutMs],
    [1, 2, 3],
  );
});
