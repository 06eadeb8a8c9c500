/** Guarantee: the estimate that sizes holds is an upper bound of the o200k count, and for ordinary text not far above it (failures.md 12). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { estimateCentitokens, upperEstimate } from "./estimate-tokens.ts";
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
      for (let start = 0; start < text.length; start += size) centitokens += estimateCentitokens(text.slice(start, start + size));
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
