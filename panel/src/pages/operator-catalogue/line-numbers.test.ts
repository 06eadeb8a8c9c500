/** Protects: a mistake's line leads to that very line of the text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { lineNumbers, placeOfLine } from "./line-numbers.ts";

test("each line has its number and its place", () => {
  const text = "a: 1\n\nключ: два\nend";
  assert.equal(lineNumbers(text), "1\n2\n3\n4");
  for (const [at, line] of text.split("\n").entries())
    assert.equal(text.slice(...placeOfLine(text, at + 1)), line);
});
