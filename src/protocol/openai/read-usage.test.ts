/** Guarantee: usage is believed exactly as far as its own arithmetic goes; zero is zero, absent is absent (failures.md 4, 17, 21). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import { readAnswerUsage, readUsage, renderUsage } from "./read-usage.ts";

const valid = (usage: object) => ({ kind: "valid", usage: { ...NO_USAGE, ...usage }, samplings: 1 });

test("each form of a believable usage", () => {
  const table: [unknown, object][] = [
    [
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      { inputTokens: 10, outputTokens: 5 },
    ],
    [{ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, {}],
    [
      { prompt_tokens: 10, completion_tokens: 5 },
      { inputTokens: 10, outputTokens: 5 },
    ],
    [
      { prompt_tokens: 10, total_tokens: 15 },
      { inputTokens: 10, outputTokens: 5 },
    ],
    [
      { completion_tokens: 5, total_tokens: 15 },
      { inputTokens: 10, outputTokens: 5 },
    ],
    // Cached tokens are a part of the prompt, reasoning a part of the completion.
    [
      {
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 150,
        prompt_tokens_details: { cached_tokens: 60 },
        completion_tokens_details: { reasoning_tokens: 30 },
      },
      { inputTokens: 40, cachedInputTokens: 60, outputTokens: 50, reasoningTokens: 30 },
    ],
    [
      { prompt_tokens: 100, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 } },
      { inputTokens: 10, cachedInputTokens: 60, cacheWrite5mTokens: 30, outputTokens: 1 },
    ],
    [
      { prompt_tokens: 100, completion_tokens: 1, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
      { inputTokens: 36, cachedInputTokens: 64, outputTokens: 1 },
    ],
    // Reasoning left out of the completion (xAI): the total tells.
    [
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 115, completion_tokens_details: { reasoning_tokens: 100 } },
      { inputTokens: 10, outputTokens: 105, reasoningTokens: 100 },
    ],
    // Google's endpoint for this protocol does not even name it.
    [
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 115 },
      { inputTokens: 10, outputTokens: 105, reasoningTokens: 100 },
    ],
    // A total that counts the cached part twice shows no reasoning.
    [
      { prompt_tokens: 100, completion_tokens: 5, total_tokens: 165, prompt_tokens_details: { cached_tokens: 60 } },
      { inputTokens: 40, cachedInputTokens: 60, outputTokens: 5 },
    ],
    ...[60, 30, 90].map((beyond): [unknown, object] => [
      {
        prompt_tokens: 100,
        completion_tokens: 5,
        total_tokens: 105 + beyond,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
      },
      { inputTokens: 10, cachedInputTokens: 60, cacheWrite5mTokens: 30, outputTokens: 5 },
    ]),
    // Cache reads of Kimi and Together, cache writes of Qwen and LiteLLM.
    [
      { prompt_tokens: 100, completion_tokens: 1, cached_tokens: 64 },
      { inputTokens: 36, cachedInputTokens: 64, outputTokens: 1 },
    ],
    [
      { prompt_tokens: 100, completion_tokens: 1, cached_tokens: 64, prompt_tokens_details: { cached_tokens: 64 } },
      { inputTokens: 36, cachedInputTokens: 64, outputTokens: 1 },
    ],
    [
      { prompt_tokens: 100, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 60, cache_creation_input_tokens: 30 } },
      { inputTokens: 10, cachedInputTokens: 60, cacheWrite5mTokens: 30, outputTokens: 1 },
    ],
    [
      { prompt_tokens: 100, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 60, cache_creation_tokens: 30 } },
      { inputTokens: 10, cachedInputTokens: 60, cacheWrite5mTokens: 30, outputTokens: 1 },
    ],
    [
      { prompt_tokens: 1, completion_tokens: 1, prompt_tokens_details: null, completion_tokens_details: { reasoning_tokens: null } },
      { inputTokens: 1, outputTokens: 1 },
    ],
    // A total that has more beyond the rest than the reasoning: nobody knows what it is.
    [
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 30, completion_tokens_details: { reasoning_tokens: 4 } },
      { inputTokens: 10, outputTokens: 5, reasoningTokens: 4 },
    ],
  ];
  for (const [raw, usage] of table) assert.deepEqual(readUsage(raw), valid(usage), JSON.stringify(raw));
});

test("nothing said is absent, not zero", () => {
  for (const raw of [undefined, null, {}, { prompt_tokens: null }, { total_tokens: 0 }])
    assert.deepEqual(readUsage(raw), { kind: "absent" });
});

test("usage is found where its upstream puts it, its own field first", () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5 };
  const other = { prompt_tokens: 1, completion_tokens: 1 };
  const found = valid({ inputTokens: 10, outputTokens: 5 });
  assert.deepEqual(readAnswerUsage({ usage, x_groq: { usage: other }, choices: [{ usage: other }] }), found);
  assert.deepEqual(readAnswerUsage({ usage: null, x_groq: { id: "req_1", usage } }), found, "Groq");
  assert.deepEqual(readAnswerUsage({ choices: [{ index: 0, delta: {}, finish_reason: "stop", usage }] }), found, "Kimi");
  for (const nothing of [{}, { x_groq: { id: "req_1" }, choices: [null, { usage: null }] }, { x_groq: "x", choices: {} }])
    assert.deepEqual(readAnswerUsage(nothing), { kind: "absent" });
});

test("digits in a text are a count, as protobuf writes one", () => {
  const usage = {
    prompt_tokens: "10",
    completion_tokens: "5",
    total_tokens: "15",
    prompt_tokens_details: { cached_tokens: "4" },
    completion_tokens_details: { reasoning_tokens: "0" },
  };
  assert.deepEqual(readUsage(usage), valid({ inputTokens: 6, cachedInputTokens: 4, outputTokens: 5 }));
});

test("what cannot be a count of tokens is not believed", () => {
  const counts = [
    -1,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 53,
    "",
    " 5",
    "05",
    "5.0",
    "1e3",
    "-5",
    "9007199254740992",
    "many",
    true,
    {},
  ];
  for (const count of counts) {
    assert.equal(readUsage({ prompt_tokens: count, completion_tokens: 1 }).kind, "unbelievable", JSON.stringify(count));
    assert.equal(readUsage({ prompt_tokens: 1, completion_tokens: count }).kind, "unbelievable", JSON.stringify(count));
    assert.equal(
      readUsage({ prompt_tokens: 1, completion_tokens: 1, completion_tokens_details: { reasoning_tokens: count } }).kind,
      "unbelievable",
    );
  }
  for (const raw of [
    "many",
    [],
    { total_tokens: 10 },
    { prompt_tokens: 10 },
    { prompt_tokens: 10, total_tokens: 5 },
    { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 11 } },
    { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 6, cache_write_tokens: 5 } },
    { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, completion_tokens_details: { reasoning_tokens: 6 } },
  ]) {
    assert.equal(readUsage(raw).kind, "unbelievable", JSON.stringify(raw));
  }
});

test("what the gateway renders it reads back", () => {
  const usage = { ...NO_USAGE, inputTokens: 7, cachedInputTokens: 3, outputTokens: 9, reasoningTokens: 2 };
  assert.deepEqual(readUsage(renderUsage(usage)), valid(usage));
});
