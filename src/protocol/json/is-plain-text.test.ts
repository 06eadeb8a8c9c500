/** Guarantee: what is taken as valid without being parsed is what JSON.parse takes as it is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isPlainText } from "./is-plain-text.ts";

function isItself(text: string): boolean {
  try {
    return JSON.parse(`"${text}"`) === text;
  } catch {
    return false;
  }
}

const character = fc.oneof(
  {
    weight: 40,
    arbitrary: fc.constantFrom(
      "a",
      "Z",
      "/",
      "+",
      "я",
      "中",
      "😀",
      "\u007F",
      "\u0080",
      " ",
      "[",
      "]",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("\u0000", "\u0001", "\u001F", "\n", "\\\\", "\\n", "\\u0041"),
  },
);

test("of any text, wherever it lies in memory", () => {
  let plain = 0;
  fc.assert(
    fc.property(fc.array(character, { maxLength: 60 }), fc.nat(7), (characters, shift) => {
      const text = characters.join("");
      // Around it lies what is not plain, and is not looked at.
      const memory = Buffer.from(`${"\n".repeat(shift)}${text}\n\\`);
      const end = memory.length - 2;
      const isPlain = isPlainText(memory, shift, end);
      assert.equal(isPlain, isItself(text));
      assert.equal(isPlainText(memory.subarray(shift), 0, end - shift), isPlain);
      if (isPlain) plain += 1;
    }),
    { numRuns: 2_000 },
  );
  assert.ok(plain > 100 && plain < 1_900, `${plain} are plain`);
});

test("each byte, at each place of a word and beyond", () => {
  for (let code = 0; code < 128; code++) {
    if (code === 0x22) continue; // a quote ends the string
    for (let at = 0; at < 13; at++) {
      const bytes = Buffer.alloc(13, "x");
      bytes[at] = code;
      assert.equal(isPlainText(bytes, 0, 13), code >= 0x20 && code !== 0x5c, `${code} at ${at}`);
    }
  }
});
