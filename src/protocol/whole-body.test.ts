/**
 * Guarantee: a whole stream in place of a whole answer is that answer, and a broken one is none
 * (hazards §7, §37).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openAiUpstream } from "./openai/upstream.ts";
import { wholeBody } from "./whole-body.ts";

const HEAD = { id: "c", created: 1, model: "m" };
const chunk = (delta: object, reason: string | null = null) =>
  `data: ${JSON.stringify({ ...HEAD, choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
const BEGINNING = chunk({ role: "assistant", content: "При" });
const END = chunk({ content: "вет" }, "stop");
const read = (body: string): string => wholeBody(openAiUpstream, Buffer.from(body)).toString();

test("a whole stream is the answer that it comes to, however it begins", () => {
  for (const before of ["", ": connected\n\n", "\r\n", "\u{FEFF}", "event: x\n", "id: 1\n"]) {
    const answer = openAiUpstream.readAnswer(
      wholeBody(openAiUpstream, Buffer.from(`${before}${BEGINNING}${END}data: [DONE]\n\n`)),
    );
    assert.ok(answer.kind === "answer", before);
    assert.deepEqual([answer.text, answer.finishReason], ["Привет", "stop"]);
  }
});

test("a stream that [DONE] ends is whole without a finish reason, too", () => {
  const answer = openAiUpstream.readAnswer(
    wholeBody(openAiUpstream, Buffer.from(`${BEGINNING}data: [DONE]\n\n`)),
  );
  assert.ok(answer.kind === "answer");
  assert.deepEqual([answer.text, answer.finishReason], ["При", "stop"]);
});

test("a byte order mark is no part of an answer", () => {
  assert.equal(read('\u{FEFF}{"choices":[]}'), '{"choices":[]}');
  assert.equal(read("\u{FEFF}"), "");
});

test("what is no whole stream stays as it is", () => {
  const bodies = [
    '{"choices":[]}',
    ' {"data":1}',
    "",
    "<html>",
    BEGINNING,
    `${BEGINNING}${chunk({}, "network_error")}data: [DONE]\n\n`,
    `${BEGINNING}data: {"error":{"message":"gone"}}\n\n${END}`,
    `${BEGINNING}data: {oops\n\n${END}`,
    `data: ${"x".repeat(17_000_000)}`,
  ];
  for (const body of bodies) assert.ok(read(body) === body, body.slice(0, 80));
});
