/** Guarantee: what is served under Chat Completions is served under Responses, unless its entry says otherwise. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { servedEndpoints } from "./served-endpoints.ts";

test("chat.completions brings responses along, and nothing else does", () => {
  assert.deepEqual(servedEndpoints(["chat.completions"]), ["chat.completions", "responses"]);
  assert.deepEqual(servedEndpoints(["messages", "chat.completions"]), [
    "chat.completions",
    "messages",
    "responses",
  ]);
  assert.deepEqual(servedEndpoints(["messages"]), ["messages"]);
  assert.deepEqual(servedEndpoints(["messages", "responses"]), ["messages", "responses"]);
  assert.deepEqual(servedEndpoints(["chat.completions", "no-responses"]), ["chat.completions"]);
});
