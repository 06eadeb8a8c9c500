/**
 * Guarantee: usage is believed exactly as far as its own arithmetic goes; zero is zero, absent is
 * absent (hazards §4, §17, §21).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { NO_USAGE, promptTokensOf } from "../../kernel/token-usage.ts";
import { readAnswerUsage, readUsage, renderUsage } from "./read-usage.ts";

const valid = (usage: object) => ({
  kind: "valid",
  usage: { ...NO_USAGE, ...usage },
  samplings: 1,
});

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
      {
        prompt_tokens: 100,
        completion_tokens: 1,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
      },
      { inputTokens: 10, cachedInputTokens: 60, cacheWrite5mTokens: 30, outputTokens: 1 },
    ],
    [
      {
        prompt_tokens: 100,
        completion_tokens: 1,
        prompt_cache_hit_tokens: 64,
        prompt_cache_miss_tokens: 36,
      },
      { inputTokens: 36, cachedInputTokens: 64, outputTokens: 1 },
    ],
    // Reasoning left out of the completion (xAI): the total tells.
    [
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 115,
        completion_tokens_details: { reasoning_tokens: 100 },
      },
      { inputTokens: 10, outputTokens: 105, reasoningTokens: 100 },
    ],
    // Google's endpoint for this protocol does not even name it.
    [
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 115 },
      { inputTokens: 10, outputTokens: 105, reasoningTokens: 100 },
    ],
    // A total that counts the cached part twice shows no reasoning.
    [
      {
        prompt_tokens: 100,
        completion_tokens: 5,
        total_tokens: 165,
        prompt_tokens_details: { cached_tokens: 60 },
      },
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
      {
        prompt_tokens: 100,
        completion_tokens: 1,
        cached_tokens: 64,
        prompt_tokens_details: { cached_tokens: 64 },
      },
      { inputTokens: 36, cachedInputTokens: 64, outputTokens: 1 },
    ],
    [
      {
        prompt_tokens: 100,
        completion_tokens: 1,
        prompt_tokens_details: { cached_tokens: 60, cache_creation_input_tokens: 30 },
      },
      { inputTokens: 10, cachedInputTokens: 60, cacheWrite5mTokens: 30, outputTokens: 1 },
    ],
    [
      {
        prompt_tokens: 100,
        completion_tokens: 1,
        prompt_tokens_details: { cached_tokens: 60, cache_creation_tokens: 30 },
      },
      { inputTokens: 10, cachedInputTokens: 60, cacheWrite5mTokens: 30, outputTokens: 1 },
    ],
    [
      {
        prompt_tokens: 1,
        completion_tokens: 1,
        prompt_tokens_details: null,
        completion_tokens_details: { reasoning_tokens: null },
      },
      { inputTokens: 1, outputTokens: 1 },
    ],
    // A total that has more beyond the rest than the reasoning: it is not known what that is.
    [
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 30,
        completion_tokens_details: { reasoning_tokens: 4 },
      },
      { inputTokens: 10, outputTokens: 5, reasoningTokens: 4 },
    ],
  ];
  for (const [raw, usage] of table)
    assert.deepEqual(readUsage(raw), valid(usage), JSON.stringify(raw));
});

test("nothing said is absent, not zero", () => {
  for (const raw of [undefined, null, {}, { prompt_tokens: null }, { total_tokens: 0 }])
    assert.deepEqual(readUsage(raw), { kind: "absent" });
});

test("usage is found where its upstream puts it, its own field first", () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5 };
  const other = { prompt_tokens: 1, completion_tokens: 1 };
  const found = valid({ inputTokens: 10, outputTokens: 5 });
  assert.deepEqual(
    readAnswerUsage({ usage, x_groq: { usage: other }, choices: [{ usage: other }] }),
    found,
  );
  assert.deepEqual(readAnswerUsage({ usage: null, x_groq: { id: "req_1", usage } }), found, "Groq");
  assert.deepEqual(
    readAnswerUsage({ choices: [{ index: 0, delta: {}, finish_reason: "stop", usage }] }),
    found,
    "Kimi",
  );
  for (const nothing of [
    {},
    { x_groq: { id: "req_1" }, choices: [null, { usage: null }] },
    { x_groq: "x", choices: {} },
  ])
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
  assert.deepEqual(
    readUsage(usage),
    valid({ inputTokens: 6, cachedInputTokens: 4, outputTokens: 5 }),
  );
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
    assert.equal(
      readUsage({ prompt_tokens: count, completion_tokens: 1 }).kind,
      "unbelievable",
      JSON.stringify(count),
    );
    assert.equal(
      readUsage({ prompt_tokens: 1, completion_tokens: count }).kind,
      "unbelievable",
      JSON.stringify(count),
    );
    const odd = {
      total_tokens: count,
      prompt_tokens_details: { audio_tokens: count },
      completion_tokens_details: { reasoning_tokens: count },
    };
    const reading = readUsage({ prompt_tokens: 3, completion_tokens: 2, ...odd });
    assert.ok(reading.kind === "valid" && reading.note !== undefined, JSON.stringify(count));
    assert.deepEqual(
      reading.usage,
      { ...NO_USAGE, inputTokens: 3, outputTokens: 2 },
      "what is no detail leaves the totals",
    );
  }
  for (const raw of ["many", [], { total_tokens: 10 }])
    assert.equal(readUsage(raw).kind, "unbelievable", JSON.stringify(raw));
});

test("one odd detail is cut to fit and noted, and the totals stand", () => {
  const details = (prompt: object, completion: object = {}) => ({
    prompt_tokens_details: prompt,
    completion_tokens_details: completion,
  });
  const table: [Record<string, unknown>, object][] = [
    // OpenRouter over Gemini, on every cached call.
    [
      {
        prompt_tokens: 2168,
        completion_tokens: 5,
        total_tokens: 2173,
        ...details({ cached_tokens: 2161, cache_write_tokens: 2161 }),
      },
      { cachedInputTokens: 2161, cacheWrite5mTokens: 7, outputTokens: 5 },
    ],
    // OpenRouter over MiniMax.
    [
      {
        prompt_tokens: 30,
        completion_tokens: 10,
        total_tokens: 40,
        ...details({}, { reasoning_tokens: 11 }),
      },
      { inputTokens: 30, outputTokens: 10, reasoningTokens: 10 },
    ],
    [
      {
        prompt_tokens: 50_000,
        completion_tokens: 10_000,
        ...details({}, { reasoning_tokens: 10_001 }),
      },
      { inputTokens: 50_000, outputTokens: 10_000, reasoningTokens: 10_000 },
    ],
    [
      { prompt_tokens: 10, completion_tokens: 1, ...details({ cached_tokens: 11 }) },
      { cachedInputTokens: 10, outputTokens: 1 },
    ],
    [
      {
        prompt_tokens: 10,
        completion_tokens: 4,
        ...details({ audio_tokens: 7, image_tokens: 9 }, { audio_tokens: 3, reasoning_tokens: 3 }),
      },
      {
        outputTokens: 4,
        reasoningTokens: 1,
        media: { audioInput: 7, imageInput: 3, audioOutput: 3, imageOutput: 0 },
      },
    ],
  ];
  for (const [raw, usage] of table) {
    const reading = readUsage(raw);
    assert.ok(reading.kind === "valid", JSON.stringify(raw));
    assert.deepEqual(reading.usage, { ...NO_USAGE, ...usage }, JSON.stringify(raw));
    assert.match(reading.note ?? "", /do not fit/);
  }
});

test("one side that is missing leaves the other", () => {
  const partial = (known: string, usage: object) => ({
    kind: "partial",
    known,
    usage: { ...NO_USAGE, ...usage },
    samplings: 1,
  });
  assert.deepEqual(readUsage({ prompt_tokens: 10 }), partial("input", { inputTokens: 10 }));
  assert.deepEqual(
    readUsage({ prompt_tokens: 10, total_tokens: 5 }),
    partial("input", { inputTokens: 10 }),
  );
  assert.deepEqual(
    readUsage({ completion_tokens: 5, total_tokens: 0 }),
    partial("output", { outputTokens: 5 }),
  );
});

test("audio and images are shares of the totals, and what was cached comes off the text first, then images, then audio", () => {
  const read = (prompt: object, completion: object = {}): object => {
    const reading = readUsage({
      prompt_tokens: 100,
      completion_tokens: 50,
      prompt_tokens_details: prompt,
      completion_tokens_details: completion,
    });
    assert.ok(reading.kind === "valid" && reading.note === undefined);
    const { inputTokens, cachedInputTokens, media } = reading.usage;
    return { inputTokens, cachedInputTokens, ...media };
  };
  const none = { audioInput: 0, imageInput: 0, audioOutput: 0, imageOutput: 0 };
  assert.deepEqual(read({ audio_tokens: 0, image_tokens: 0 }, { audio_tokens: 0 }), {
    inputTokens: 100,
    cachedInputTokens: 0,
  });
  assert.deepEqual(
    read({ audio_tokens: 40, image_tokens: 30 }, { audio_tokens: 20, image_tokens: 10 }),
    {
      inputTokens: 30,
      cachedInputTokens: 0,
      audioInput: 40,
      imageInput: 30,
      audioOutput: 20,
      imageOutput: 10,
    },
  );
  for (const [cached, inputTokens, imageInput, audioInput] of [
    [20, 10, 30, 40],
    [50, 0, 10, 40],
    [90, 0, 0, 10],
  ]) {
    const stated = read({ audio_tokens: 40, image_tokens: 30, cached_tokens: cached });
    assert.deepEqual(stated, {
      ...none,
      inputTokens,
      cachedInputTokens: cached,
      imageInput,
      audioInput,
    });
  }
  const split = { text_tokens: 10, image_tokens: 5, audio_tokens: 25 };
  const reported = {
    ...none,
    inputTokens: 20,
    cachedInputTokens: 40,
    imageInput: 25,
    audioInput: 15,
  };
  assert.deepEqual(
    read({ audio_tokens: 40, image_tokens: 30, cached_tokens: 40, cached_tokens_details: split }),
    reported,
  );
});

test("every split adds up to the totals, whatever the details say", () => {
  const count = fc.integer({ min: 0, max: 300 });
  const prompt = fc.record({
    cached_tokens: count,
    cache_write_tokens: count,
    audio_tokens: count,
    image_tokens: count,
  });
  const completion = fc.record({
    reasoning_tokens: count,
    audio_tokens: count,
    image_tokens: count,
  });
  const cached = fc.record({ audio_tokens: count, image_tokens: count });
  fc.assert(
    fc.property(
      count,
      count,
      prompt,
      completion,
      cached,
      (prompt_tokens, completion_tokens, ofPrompt, ofCompletion, split) => {
        const reading = readUsage({
          prompt_tokens,
          completion_tokens,
          prompt_tokens_details: { ...ofPrompt, cached_tokens_details: split },
          completion_tokens_details: ofCompletion,
        });
        assert.ok(reading.kind === "valid");
        const { usage } = reading;
        const { audioInput, imageInput, audioOutput, imageOutput } = usage.media ?? {
          audioInput: 0,
          imageInput: 0,
          audioOutput: 0,
          imageOutput: 0,
        };
        assert.equal(promptTokensOf(usage), prompt_tokens);
        assert.equal(usage.outputTokens, completion_tokens);
        assert.ok(usage.reasoningTokens + audioOutput + imageOutput <= completion_tokens);
        for (const part of [
          usage.inputTokens,
          usage.cachedInputTokens,
          usage.cacheWrite5mTokens,
          audioInput,
          imageInput,
        ])
          assert.ok(part >= 0);
      },
    ),
  );
});

test("what the gateway renders it reads back", () => {
  const usage = {
    ...NO_USAGE,
    inputTokens: 7,
    cachedInputTokens: 3,
    outputTokens: 9,
    reasoningTokens: 2,
  };
  assert.deepEqual(readUsage(renderUsage(usage)), valid(usage));
  const media = { audioInput: 4, imageInput: 5, audioOutput: 6, imageOutput: 1 };
  assert.deepEqual(
    readUsage(renderUsage({ ...usage, cacheWrite5mTokens: 2, media })),
    valid({ ...usage, cacheWrite5mTokens: 2, media }),
  );
});
