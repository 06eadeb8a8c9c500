/**
 * Guarantee: a Chat Completions upstream gets the call at its own address, with the operator's
 * credential and no other (contract §5).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChatUpstreamCall } from "./chat-post.ts";
import { openAiChatRequest } from "./openai-compatible.ts";

const TIMEOUTS = { connect: 1, firstByte: 2, idle: 3 };
const CALL: ChatUpstreamCall = {
  body: Buffer.from("{}"),
  credential: "secret",
  stream: false,
  traceparent: null,
  forward: {},
  query: "",
};

test("the path stands under the base, before the base's own query", () => {
  const addresses: [string, string, string][] = [
    ["https://api.example.com/v1", "https://api.example.com", "/v1/chat/completions"],
    ["https://api.example.com/v1//", "https://api.example.com", "/v1/chat/completions"],
    ["http://[::1]:8080", "http://[::1]:8080", "/chat/completions"],
    ["http://up.example:8080/", "http://up.example:8080", "/chat/completions"],
    ["https://x/a/b?api-version=1/2", "https://x", "/a/b/chat/completions?api-version=1/2"],
    ["https://x?api-version=1/2", "https://x", "/chat/completions?api-version=1/2"],
    ["https://x/v1?", "https://x", "/v1/chat/completions"],
  ];
  for (const [baseUrl, origin, path] of addresses) {
    const request = openAiChatRequest({ baseUrl, timeoutsMs: TIMEOUTS }, CALL);
    assert.deepEqual(
      [request.method, request.origin, request.path],
      ["POST", origin, path],
      baseUrl,
    );
  }
});

test("headers: the operator's credential, what is wanted, and the trace where there is one", () => {
  const target = { baseUrl: "https://x", timeoutsMs: TIMEOUTS };
  assert.deepEqual(openAiChatRequest(target, CALL).headers, {
    authorization: "Bearer secret",
    "content-type": "application/json",
    accept: "application/json",
    "accept-encoding": "identity",
    "user-agent": "tollgate",
  });
  const { headers } = openAiChatRequest(target, {
    ...CALL,
    stream: true,
    traceparent: "00-1-2-01",
    forward: { authorization: "Bearer x" },
  });
  assert.deepEqual(
    [headers["authorization"], headers["accept"], headers["traceparent"]],
    ["Bearer secret", "text/event-stream", "00-1-2-01"],
  );
});
