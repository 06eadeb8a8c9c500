/** Guarantee: a text put together from pieces is the text, whatever the pieces were cut through. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { GrowingText } from "./growing-text.ts";

/** Short ones and long ones are copied in two ways; some end with half a character. */
const piece = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("\ud83d", "\ude00", "", "мир ", "ÿ", "x".repeat(256), "и".repeat(257)),
  fc.string({ minLength: 250, maxLength: 700 }),
);

test("what came piece by piece is what the pieces say together", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const growing = new GrowingText();
      let text = "";
      for (const each of pieces) {
        growing.append(each);
        text += each;
        assert.equal(growing.length, text.length);
      }
      assert.equal(growing.toString(), text);
      for (let at = 0; at <= text.length; at++)
        assert.equal(growing.charCodeAt(at), text.charCodeAt(at));
    }),
    { numRuns: 500 },
  );
});

test("a cleared text begins anew and shows nothing of what it was", () => {
  const growing = new GrowingText();
  growing.append("what was said before");
  growing.clear();
  assert.equal(growing.toString(), "");
  assert.ok(Number.isNaN(growing.charCodeAt(0)));
  growing.append("мир");
  assert.equal(growing.toString(), "мир");
  assert.ok(Number.isNaN(growing.charCodeAt(3)));
});
