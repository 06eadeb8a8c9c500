/**
 * Guarantee: the usage of a response is believed by the same rules as that of a completion: cached
 * tokens and reasoning are parts of their totals, details are cut to fit, what cannot be true is
 * not believed (hazards §21; contract §6).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_USAGE, type TokenUsage } from "../../kernel/token-usage.ts";
import { readResponsesUsage, renderResponsesUsage } from "./read-usage.ts";
import { shownResponsesUsage } from "./shown-usage.ts";

const usage = (rest: Partial<TokenUsage>): TokenUsage => ({ ...NO_USAGE, ...rest });
const plain = { input_tokens: 17, output_tokens: 9, total_tokens: 26 };

test("each token counts once, whatever else it is", () => {
  const reading = readResponsesUsage({
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 40, cache_write_tokens: 10 },
    output_tokens: 30,
    output_tokens_details: { reasoning_tokens: 20 },
    total_tokens: 130,
  });
  assert.deepEqual(reading, {
    kind: "valid",
    samplings: 1,
    usage: usage({
      inputTokens: 50,
      cachedInputTokens: 40,
      cacheWrite5mTokens: 10,
      outputTokens: 30,
      reasoningTokens: 20,
    }),
  });
});

test("nothing said is absent, a zero is zero, and one side alone is partial", () => {
  for (const nothing of [undefined, null, {}, { input_tokens: null }])
    assert.equal(readResponsesUsage(nothing).kind, "absent");
  const zero = readResponsesUsage({ input_tokens: 0, output_tokens: 0, total_tokens: 0 });
  assert.ok(zero.kind === "valid" && zero.usage.outputTokens === 0);
  const partial = readResponsesUsage({ output_tokens: 9 });
  assert.ok(partial.kind === "partial" && partial.known === "output");
});

test("totals that cannot be are not believed; details are cut to fit, with a note", () => {
  for (const wrong of [-5, 9.5, 1e300, "many", true])
    assert.equal(readResponsesUsage({ ...plain, output_tokens: wrong }).kind, "unbelievable");
  assert.equal(readResponsesUsage("much").kind, "unbelievable");
  const cut = readResponsesUsage({
    ...plain,
    input_tokens_details: { cached_tokens: 18 },
    output_tokens_details: { reasoning_tokens: 1e9 },
  });
  assert.ok(cut.kind === "valid" && cut.note !== undefined);
  assert.deepEqual(
    [cut.usage.inputTokens, cut.usage.cachedInputTokens, cut.usage.reasoningTokens],
    [0, 17, 9],
  );
});

test("what is written is read back, and what was charged is shown in place of another figure", () => {
  const charged = usage({
    inputTokens: 5,
    cachedInputTokens: 3,
    cacheWrite5mTokens: 2,
    outputTokens: 7,
    reasoningTokens: 4,
  });
  const rendered = renderResponsesUsage(charged);
  const reading = readResponsesUsage(rendered);
  assert.ok(reading.kind === "valid");
  assert.deepEqual(reading.usage, charged);
  assert.equal(shownResponsesUsage(rendered, charged), null);
  assert.equal(shownResponsesUsage(plain, NO_USAGE), null);
  const shown = shownResponsesUsage({ ...plain, future: 1 }, charged);
  assert.deepEqual([shown?.["input_tokens"], shown?.["future"]], [10, 1]);
});
