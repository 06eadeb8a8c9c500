/**
 * Guarantee: sealed reasoning comes back as it went out, wins over its plain text, and the seals of
 * other makes are not passed for ours.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { writeResponsesSeal } from "../reasoning-seal.ts";
import { readReasoning, renderReasoningDetails, type ReasoningPart } from "./reasoning-details.ts";

const FORMAT = "anthropic-claude-v1";
const read = (details: unknown) =>
  readReasoning({ content: "b", reasoning_content: "plain", reasoning_details: details });
const thinking = (text: string, signature: string | null): ReasoningPart => ({
  kind: "thinking",
  text,
  signature,
});
const redacted: ReasoningPart = { kind: "redacted-thinking", data: "xyz" };

test("what went out comes back", () => {
  const parts = [thinking("Думаю 🤔", "s="), redacted, thinking("a", null), thinking("", "t=")];
  const details = renderReasoningDetails(parts);
  assert.deepEqual(details.slice(0, 2), [
    { type: "reasoning.text", text: "Думаю 🤔", signature: "s=", format: FORMAT, index: 0 },
    { type: "reasoning.encrypted", data: "xyz", format: FORMAT, index: 1 },
  ]);
  assert.deepEqual(read(JSON.parse(JSON.stringify(details))), parts);
});

test("a seal of Responses goes out under its maker's name and comes back", () => {
  const seal = writeResponsesSeal({ id: "rs_1", encrypted: "gAAAA" });
  const parts: ReasoningPart[] = [thinking("a", seal), { kind: "redacted-thinking", data: seal }];
  const details = renderReasoningDetails(parts);
  assert.deepEqual(
    details.map(({ format }) => format),
    ["openai-responses-v1", "openai-responses-v1"],
  );
  assert.deepEqual(read(details), parts);
});

test("a summary is a text; a seal without its maker's name is ours, one of another make is of no use", () => {
  const details = [
    { type: "reasoning.summary", summary: "a" },
    { type: "reasoning.text", text: "b", signature: "s" },
    { type: "reasoning.text", text: "c", signature: "s", format: "google-gemini-v1" },
    { type: "reasoning.encrypted", data: "xyz", format: "openai-responses-v1" },
    { type: "reasoning.encrypted", data: "xyz", format: null },
    { type: "reasoning.text", text: null },
    { type: "reasoning.text", text: "", signature: "" },
    null,
  ];
  assert.deepEqual(read(details), [
    thinking("a", null),
    thinking("b", "s"),
    thinking("c", null),
    redacted,
  ]);
});

test("without anything of use in it, the plain text counts, under either of its names", () => {
  for (const useless of [
    [],
    "x",
    null,
    undefined,
    [{ type: "reasoning.encrypted", data: "x", format: "xai-responses-v1" }],
  ]) {
    assert.deepEqual(read(useless), [thinking("plain", null)]);
  }
  assert.deepEqual(readReasoning({ reasoning_content: "", reasoning: "a" }), [thinking("a", null)]);
  assert.deepEqual(readReasoning({ reasoning_content: null, reasoning: [1] }), []);
});
