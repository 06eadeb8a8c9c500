/** Guarantee: all of a prompt is counted once, whatever its tokens are, wherever it is summed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { receiptFigures } from "../usage/receipt-figures.ts";
import { NO_USAGE, promptTokensOf, sameTextUsage, type TokenUsage } from "./token-usage.ts";

test("sound and images are a part of the prompt, those of the answer are not", () => {
  const usage: TokenUsage = {
    inputTokens: 1,
    cachedInputTokens: 20,
    cacheWrite5mTokens: 300,
    cacheWrite1hTokens: 4000,
    outputTokens: 9,
    reasoningTokens: 2,
    images: 3,
    media: { audioInput: 50_000, imageInput: 600_000, audioOutput: 5, imageOutput: 2 },
  };
  assert.equal(promptTokensOf(usage), 654_321);
  assert.equal(receiptFigures(usage, null, null).inputTokens, 654_321n);
});

test("two usages are the same only where every kind is, and never where there is more than text", () => {
  const usage = { ...NO_USAGE, inputTokens: 5, outputTokens: 7 };
  assert.ok(sameTextUsage(usage, { ...usage }));
  for (const name of Object.keys(NO_USAGE) as (keyof typeof NO_USAGE)[])
    assert.equal(sameTextUsage(usage, { ...usage, [name]: 99 }), false, name);
  const media = { audioInput: 1, imageInput: 0, audioOutput: 0, imageOutput: 0 };
  assert.equal(sameTextUsage({ ...usage, media }, { ...usage, media }), false);
});
