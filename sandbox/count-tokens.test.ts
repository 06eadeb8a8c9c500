/**
 * The sandbox's figures are the tokenizer's own for real text, and no text can hold the process up.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { countPrompt, countTokens, takeTokens } from "./count-tokens.ts";
import { splitPieces } from "./split-pieces.ts";

const TEXTS = [
  "",
  "hello",
  "Съешь же ещё этих мягких французских булок.",
  "👨‍👩‍👧‍👦 🇷🇺",
  '{"a": [1, 2.5]}',
  "  indented\n\n\tcode();  ",
  "日本語のテキスト",
];

test("counts equal the tokenizer's", () => {
  for (const text of TEXTS) assert.equal(countTokens(text), encode(text).length, text);
  assert.equal(countTokens("the ".repeat(20_000)), encode("the ".repeat(20_000)).length);
});

test("special tokens in a text are text, not an exception", () => {
  assert.ok(countTokens("<|endoftext|> <|im_start|>") > 4);
});

test("a limit cuts at a whole character and never passes the limit", () => {
  for (const text of TEXTS) {
    const whole = countTokens(text);
    assert.equal(takeTokens(text, whole), text);
    assert.equal(takeTokens(text, 0), "");
    for (let limit = 0; limit < whole; limit++) {
      const taken = takeTokens(text, limit);
      assert.ok(text.startsWith(taken) && !taken.includes("\uFFFD"), text);
      assert.ok(countTokens(taken) <= limit);
    }
  }
});

test("long unbroken runs are counted in pieces of 512, because the tokenizer's time grows with the square of a run", () => {
  for (const unit of ["internationalization", "?!=", " \n\t", "привет"]) {
    const text = unit.repeat(400);
    let inPieces = 0;
    for (let at = 0; at < text.length; at += 512)
      inPieces += encode(text.slice(at, at + 512)).length;
    assert.equal(countTokens(text), inPieces, unit);
    assert.notEqual(inPieces, encode(text).length, `${unit}: the case proves nothing`);
  }
});

test("a conversation costs the same however its turns are grouped", () => {
  const call = { type: "call", id: "1", name: "f", input: { x: 1 } } as const;
  const result = (text: string) =>
    ({ type: "result", callId: "1", isError: false, parts: [{ type: "text", text }] }) as const;
  const head = [
    { role: "user", parts: [{ type: "text", text: "go" }, { type: "image" }] },
    { role: "assistant", parts: [call] },
  ] as const;
  const apart = countPrompt({
    turns: [
      ...head,
      { role: "user", parts: [result("a")] },
      { role: "user", parts: [result("b")] },
    ],
    tools: [],
    format: null,
  });
  const together = countPrompt({
    turns: [...head, { role: "user", parts: [result("a"), result("b")] }],
    tools: [],
    format: null,
  });
  assert.equal(apart, together);
  assert.equal(
    together,
    3 + 3 * 4 + encode("go").length + 85 + encode("f").length + encode('{"x":1}').length + 2,
  );
});

test("pieces of a stream join to the text and cut no character", () => {
  for (const text of [...TEXTS, "x".repeat(100), "👋".repeat(40), `x${"👋".repeat(40)}`]) {
    const pieces = splitPieces(text);
    assert.equal(pieces.join(""), text);
    assert.ok(pieces.every((piece) => piece.isWellFormed()));
  }
});
