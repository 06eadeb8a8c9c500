/**
 * Guarantee: a whole answer is told from an error under status 200 and from garbage (hazards §37).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCompletion } from "./read-completion.ts";

const read = (value: unknown) =>
  readCompletion(Buffer.from(typeof value === "string" ? value : JSON.stringify(value)));

test("a completion: text of all choices, usage, finish reasons", () => {
  const reading = read({
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "a", reasoning_content: "r" },
        finish_reason: "stop",
      },
      {
        index: 1,
        message: { content: null, tool_calls: [{ function: { name: "f", arguments: "{}" } }] },
        finish_reason: null,
      },
      null,
    ],
    usage: { prompt_tokens: 1, completion_tokens: 2 },
  });
  assert.ok(reading.kind === "completion");
  assert.equal(reading.text, "arf{}");
  assert.equal(reading.hasContent, true);
  assert.deepEqual(reading.finishReasons, ["stop", null, null]);
  assert.equal(reading.usage.kind, "valid");
  const silent = read({ choices: [{ message: { content: "" }, finish_reason: "stop" }] });
  assert.ok(silent.kind === "completion" && !silent.hasContent && silent.usage.kind === "absent");
});

test("an error under status 200 is an error", () => {
  for (const body of [
    { error: { message: "no", code: 429 } },
    { error: "no" },
    { object: "error", message: "no" },
    { detail: "no" },
    { code: 500, msg: "no", success: false },
    { choices: null, code: "x", message: "no" },
    { choices: [], error: { message: "no" } },
  ]) {
    const reading = read(body);
    assert.ok(reading.kind === "error", JSON.stringify(body));
    assert.equal(reading.message, "no");
  }
});

test("anything else is garbage", () => {
  for (const body of [
    "",
    "<html>",
    "null",
    "[]",
    "{}",
    '{"choices":{}}',
    'data: {"choices":[]}\n\n',
  ])
    assert.equal(read(body).kind, "garbage", body);
});
