/**
 * Guarantee: the estimate that sizes holds is an upper bound of the o200k count, and for ordinary
 * text not far above it (hazards §12).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { estimateCentitokens, upperEstimate } from "./estimate-tokens.ts";
import { referenceCentitokens } from "../../test/support/reference-estimate.ts";
import { tokenCorpora } from "../../test/support/token-corpora.ts";

const exact = (text: string) => countTokens(text, { disallowedSpecial: new Set() });

for (const { name, text, ordinary } of tokenCorpora()) {
  test(`${name}: never below the count${ordinary ? ", at most twice it" : ""}`, () => {
    const counted = exact(text);
    const estimated = upperEstimate(text);
    assert.ok(estimated >= counted, `${estimated} for ${counted}`);
    if (ordinary) assert.ok(estimated <= 2 * counted, `${estimated} for ${counted}`);
  });
}

test("pieces of an ordinary text are bounded too: a stream is estimated piece by piece", () => {
  for (const { name, text, ordinary } of tokenCorpora()) {
    if (!ordinary) continue;
    for (const size of [3, 20, 300]) {
      let centitokens = 0;
      for (let start = 0; start < text.length; start += size)
        centitokens += estimateCentitokens(text.slice(start, start + size));
      assert.ok(centitokens >= 100 * exact(text), `${name} in pieces of ${size}`);
    }
  }
});

test("nothing is nothing, and the estimate never falls as a text grows", () => {
  assert.equal(upperEstimate(""), 0);
  for (const { name, text } of tokenCorpora()) {
    let before = 0;
    for (let end = 1; end <= Math.min(text.length, 200); end++) {
      const now = upperEstimate(text.slice(0, end));
      // A last space counts as a token of its own until its word comes.
      assert.ok(now >= before - 1, `${name} at ${end}`);
      before = now;
    }
  }
});

test("it is the estimate of the plain rules, for any string", () => {
  const same = (text: string) =>
    assert.equal(
      estimateCentitokens(text),
      referenceCentitokens(text),
      JSON.stringify(text.slice(0, 200)),
    );
  for (const { text } of tokenCorpora()) same(text);
  // Every pair of ASCII, and of ASCII and other scripts, at each place of a group of four.
  const units = [
    ...Array.from({ length: 128 }, (_, unit) => unit),
    0xe9,
    0x40f,
    0x410,
    0x430,
    0x44f,
    0x450,
    0x4e2d,
    0xd83d,
    0xde00,
  ];
  for (const a of units)
    for (const b of units)
      for (const start of ["", "a", "ab", "abc"]) same(`${start}${String.fromCharCode(a, b)}re`);
  const pieces = fc.constantFrom(
    "the ",
    "  ",
    " ",
    "   \t",
    "1",
    "1250",
    " 42",
    "Слово ",
    "ёж",
    "это",
    '{"a":',
    "====",
    "\r\n\n",
    "X",
    "\ud83d",
    "😀",
    "中",
    "é",
    "\0",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => same(parts.join(""))),
    { numRuns: 2000 },
  );
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 200 }), same), { numRuns: 500 });
  // Across the places where a long text is cut into pieces.
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 1, maxLength: 9 }), fc.nat(9), (parts, shift) =>
      same("a".repeat(shift) + parts.join("").repeat(3000)),
    ),
    { numRuns: 50 },
  );
});
