/**
 * Guards what leaves the house of a caller's own: the headers and parameters that its protocol
 * names, byte for byte, and nothing else.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { forwardedParts } from "./forwarded-parts.ts";

const NAMES = { headers: ["anthropic-version", "anthropic-beta"], query: ["beta"] };

test("named headers pass as they are; credentials, cookies and everything else stay", () => {
  const headers = {
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "claude-code-20250219,interleaved-thinking-2025-05-14, x",
    "x-api-key": "tg_live_secret",
    authorization: "Bearer tg_live_secret",
    cookie: "session=1",
    host: "api.example.com",
  };
  assert.deepEqual(forwardedParts(NAMES, headers, "/v1/messages"), {
    forward: {
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "claude-code-20250219,interleaved-thinking-2025-05-14, x",
    },
    query: "",
  });
  assert.deepEqual(forwardedParts({ headers: [], query: [] }, headers, "/v1/messages?beta=true"), {
    forward: {},
    query: "",
  });
});

test("named parameters pass, a key in the query does not", () => {
  for (const [target, query] of [
    ["/v1/messages?beta=true", "?beta=true"],
    ["/v1/messages?api_key=tg_live_x&beta=true&key=1", "?beta=true"],
    ["/v1/messages?api_key=tg_live_x", ""],
    ["/v1/messages?beta=a%26b%3Dc", "?beta=a%26b%3Dc"],
    ["/v1/messages?", ""],
  ] as const) {
    assert.equal(forwardedParts(NAMES, {}, target).query, query, target);
  }
});
