/** Guarantee: a custom tool gets its text to the letter, however its arguments came in pieces. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pieces, someText } from "../../../test/support/neutral-answers.ts";
import { createCustomInput } from "./custom-input.ts";

function textOf(parts: readonly string[]): string {
  const input = createCustomInput();
  let text = "";
  for (const part of parts) text += input.add(part);
  return text + input.end();
}

test("cut anywhere, in escapes and characters too, it is the text that was meant", () => {
  const cut = someText.chain((text) =>
    pieces(JSON.stringify({ input: text })).map((parts) => ({ text, parts })),
  );
  fc.assert(fc.property(cut, ({ text, parts }) => assert.equal(textOf(parts), text)));
});

test("its pieces are passed on as they come", () => {
  const input = createCustomInput();
  assert.equal(input.add('{ "input" : "a'), "a");
  assert.equal(input.add("b\\"), "b");
  assert.equal(input.add('nc"'), "\nc");
  assert.equal(input.whole, true);
  assert.equal(input.add("}"), "");
  assert.equal(input.end(), "");
});

test("arguments that are not as they should be come to what is nearest to a text", () => {
  assert.equal(textOf(['{"other":1,"input":"x"}']), "x");
  assert.equal(textOf(['"plain"']), "plain");
  assert.equal(textOf(["*** Begin Patch"]), "*** Begin Patch");
  assert.equal(textOf([]), "");
  assert.equal(textOf(['{"input":"a\nb"}']), "a\nb", "a line break that was not escaped");
  assert.equal(textOf(['{"input":"cut']), "cut");
});
