/**
 * Guarantee: a Responses upstream gets the call at its own address, with the operator's credential
 * and no other (contract §5).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openAiResponsesRequest } from "./openai-responses.ts";

const TIMEOUTS = { connect: 1, firstByte: 2, idle: 3 };

test("the path stands under the base, before the base's own query, and the caller's headers stay here", () => {
  for (const [baseUrl, origin, path] of [
    ["https://api.example.com/v1/", "https://api.example.com", "/v1/responses"],
    ["https://x/a/b?api-version=1/2", "https://x", "/a/b/responses?api-version=1/2"],
  ] as const) {
    const request = openAiResponsesRequest(
      { baseUrl, timeoutsMs: TIMEOUTS },
      {
        body: Buffer.from("{}"),
        credential: "secret",
        stream: true,
        traceparent: null,
        forward: { authorization: "Bearer x" },
        query: "",
      },
    );
    assert.deepEqual(
      [request.method, request.origin, request.path, request.headers["authorization"]],
      ["POST", origin, path, "Bearer secret"],
    );
    assert.equal(request.headers["accept"], "text/event-stream");
  }
});
