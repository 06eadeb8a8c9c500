/**
 * Guarantee: an answer whose upstream says that it failed is never taken for a whole one, streamed
 * or not (hazards §6, §7).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openAiUpstream } from "./upstream.ts";

const choice = (finishReason: string | null) => ({
  index: 0,
  delta: { content: "half" },
  message: { content: "half" },
  finish_reason: finishReason,
});

function finishedBy(...reasons: (string | null)[]): boolean {
  const reader = openAiUpstream.createFrameReader();
  for (const reason of reasons)
    reader.push(Buffer.from(`data: ${JSON.stringify({ choices: [choice(reason)] })}\n\n`));
  return reader.finished;
}

test("a stream is whole after a finish reason, but not after one that says that it failed", () => {
  assert.deepEqual(
    [finishedBy(null), finishedBy(null, "stop"), finishedBy("length")],
    [false, true, true],
  );
  for (const reason of ["error", "abort", "insufficient_system_resource", "network_error"])
    assert.equal(finishedBy(null, reason), false, reason);
});

test("after a finish reason that says that it failed even [DONE] ends nothing", () => {
  const lastOf = (reason: string) => {
    const events = [
      `data: ${JSON.stringify({ choices: [choice(reason)] })}\n\n`,
      "data: [DONE]\n\n",
    ];
    return openAiUpstream
      .createFrameReader()
      .push(Buffer.from(events.join("")))
      .at(-1)?.kind;
  };
  assert.deepEqual(["stop", "network_error", "insufficient_system_resource"].map(lastOf), [
    "done",
    "error",
    "error",
  ]);
});

test("a whole message after deltas is not generated once more", () => {
  const message = {
    index: 0,
    message: { role: "assistant", content: "half", tool_calls: [{ id: "a" }] },
    finish_reason: "stop",
  };
  const events = [{ choices: [{ index: 0, delta: { content: "half" } }] }, { choices: [message] }];
  const read = (reported: object[]) => {
    const bytes = reported.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    return openAiUpstream
      .createFrameReader()
      .push(Buffer.from(bytes))
      .map(({ text, hasContent, finished }) => [text, hasContent, finished]);
  };
  assert.deepEqual(read(events), [
    ["half", true, false],
    ["", false, true],
  ]);
  assert.deepEqual(read(events.slice(1)), [["half", true, true]]);
});

test("a whole answer that failed is an error, so that another route is tried", () => {
  const read = (reason: string | null) =>
    openAiUpstream.readAnswer(Buffer.from(JSON.stringify({ choices: [choice(reason)] }))).kind;
  assert.deepEqual(["stop", null, "error", "abort"].map(read), [
    "answer",
    "answer",
    "error",
    "error",
  ]);
});
