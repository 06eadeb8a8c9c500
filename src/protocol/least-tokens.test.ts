/**
 * Guarantee: what is saved before anything was counted is never more than what was delivered, and
 * most of it in ordinary text.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { LeastTokens, leastTokens } from "./least-tokens.ts";
import { tokenCorpora } from "../../test/support/token-corpora.ts";

const exact = (text: string) => countTokens(text, { disallowedSpecial: new Set() });

for (const { name, text, ordinary } of tokenCorpora()) {
  test(`${name}: never above the count${ordinary ? ", at least a third of it" : ""}`, () => {
    const counted = exact(text);
    const least = leastTokens(text);
    assert.ok(least <= counted, `${least} for ${counted}`);
    if (ordinary) assert.ok(3 * least >= counted, `${least} for ${counted}`);
  });
}

test("no text of words, signs and apostrophes has fewer tokens", () => {
  const part = fc.constantFrom(
    "a",
    "B",
    "can't",
    "'",
    "'s",
    "9",
    "1234",
    " ",
    "  ",
    "\n",
    "-",
    "_",
    "é",
    "мир",
    "世",
    "😀",
    ".",
    "x'y'z",
    "\u2019",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const text = parts.join("");
      assert.ok(leastTokens(text) <= exact(text), JSON.stringify(text));
    }),
    { numRuns: 3000 },
  );
  assert.equal(leastTokens(""), 0);
  assert.equal(leastTokens("It isn't 42, is it?"), 5);
});

test("a text that grows has as many at each length as it has at once", () => {
  const part = fc.constantFrom("can", "'", "t", " ", "-", "9", "мир", "😀", "\n", "x'y");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), fc.nat(5), (parts, start) => {
      const growing = new LeastTokens(start);
      let text = "";
      for (const each of parts) {
        text += each;
        assert.equal(growing.of(text), leastTokens(text.slice(start)), JSON.stringify(text));
      }
    }),
    { numRuns: 2000 },
  );
});
