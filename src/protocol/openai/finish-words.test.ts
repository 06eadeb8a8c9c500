/**
 * Guarantee: an end that its upstream tells in a word of its own is what that word means, not an
 * ordinary one (hazards §7).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { forcedEnd, isFailedFinish } from "./finish-words.ts";

test("what the words of all makes mean", () => {
  const table = {
    length: ["length", "max_tokens", "MAX_TOKENS"],
    "context-full": ["model_length", "model_context_window_exceeded"],
    refusal: [
      "content_filter",
      "content_filter: PROHIBITED_CONTENT",
      "sensitive",
      "blacklist",
      "SAFETY",
      "RECITATION",
    ],
  };
  for (const [end, words] of Object.entries(table))
    for (const word of words) assert.equal(forcedEnd(word), end, word);
  for (const word of [
    "stop",
    "eos",
    "end_turn",
    "tool_calls",
    "function_call",
    "",
    ":",
    "constructor",
  ])
    assert.equal(forcedEnd(word), null, word);
});

test("which words say that the answer failed", () => {
  for (const word of ["error", "abort", "insufficient_system_resource", "network_error"])
    assert.equal(isFailedFinish(word), true, word);
  for (const word of ["stop", "length", "content_filter", "sensitive", ""])
    assert.equal(isFailedFinish(word), false, word);
});
