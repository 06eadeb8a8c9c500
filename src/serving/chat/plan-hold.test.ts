/**
 * Protects: a hold is never below what the request can cost (hazards §12), and never a reason to
 * lock more than it needs.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Catalogue, ChatModel } from "../../catalogue/catalogue.ts";
import type { ChatPrice } from "../../contract/price/chat-price.ts";
import { priceChat, priceChatAtMost } from "../../contract/price/price-chat.ts";
import type { Nano } from "../../kernel/money.ts";
import { nano } from "../../kernel/money.ts";
import { leastLimitOf, MINIMUM_OUTPUT_TOKENS, planHold } from "./plan-hold.ts";

const amount = fc.bigInt({ min: 0n, max: 1_000_000_000_000_000n }).map((value) => value as Nano);
const price: fc.Arbitrary<ChatPrice> = fc.record({
  input: amount,
  cachedInput: amount,
  cacheWrite5m: amount,
  cacheWrite1h: amount,
  output: amount,
  reasoning: amount,
  image: amount,
  request: amount,
});

function modelOf(of: ChatPrice, maxOutputTokens = 32_000): ChatModel {
  return {
    id: "m",
    type: "chat",
    endpoints: ["chat.completions"],
    contextTokens: 200_000,
    maxOutputTokens,
    reasoning: false,
    imageTokens: 5000,
    price: of,
    routes: [],
  };
}

/** Prices per 1M tokens of a few nano-roubles. */
const CHEAP = modelOf(
  {
    input: nano(5n),
    cachedInput: nano(1n),
    cacheWrite5m: nano(1n),
    cacheWrite1h: nano(1n),
    output: nano(7n),
    reasoning: nano(7n),
    image: nano(0n),
    request: nano(3n),
  },
  8000,
);

test("a limit that an upstream of the model would refuse is planned as what it is raised to", () => {
  const routes = [{ upstream: "up", model: "m", order: 1, weight: 1, cost: null }];
  const model = { ...CHEAP, routes };
  const catalogueOf = (protocol: string): Catalogue =>
    ({ upstreams: new Map([["up", { protocol }]]) }) as unknown as Catalogue;
  const request = { inputTokens: 10, images: 0, cacheTtl: "5m", maxTokens: 1, n: 1 } as const;
  const limitOver = (protocol: string): number =>
    planHold(model, request, null, leastLimitOf(model, catalogueOf(protocol))).limitTokens;
  assert.deepEqual([limitOver("responses"), limitOver("openai")], [16, 1]);
});

test("whatever classes an upstream reports the tokens as, the hold covers the price", () => {
  fc.assert(
    fc.property(
      price,
      fc.nat(50_000),
      fc.nat(20),
      fc.nat(40_000),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
      fc.constantFrom<"5m" | "1h">("5m", "1h"),
      (of, input, images, output, shares, cacheTtl) => {
        const cached = Math.floor(input * (shares[0] ?? 0));
        const written = Math.floor((input - cached) * (shares[1] ?? 0));
        const usage = {
          inputTokens: input - cached - written,
          cachedInputTokens: cached,
          cacheWrite5mTokens: cacheTtl === "5m" ? written : 0,
          cacheWrite1hTokens: cacheTtl === "1h" ? written : 0,
          outputTokens: output,
          reasoningTokens: Math.floor(output * (shares[2] ?? 0)),
          images,
        };
        assert.ok(
          priceChatAtMost({ price: of }, { inputTokens: input, images, cacheTtl }, output) >=
            priceChat({ price: of }, usage),
        );
      },
    ),
  );
});

test("without a limit of the caller's, the model's own is the worst case, times the choices", () => {
  const plan = planHold(CHEAP, {
    inputTokens: 10,
    images: 0,
    cacheTtl: "5m",
    maxTokens: null,
    n: 3,
  });
  assert.equal(plan.limitTokens, 24_000);
  assert.equal(plan.minimumTokens, MINIMUM_OUTPUT_TOKENS * 3);
});

test("a small limit makes slice, minimum and whole the same", () => {
  const plan = planHold(CHEAP, { inputTokens: 10, images: 0, cacheTtl: "5m", maxTokens: 16, n: 1 });
  assert.equal(plan.fullNano, plan.sliceNano);
  assert.equal(plan.sliceNano, plan.minimumNano);
});

test("a prompt is never held for beyond the context window", () => {
  assert.equal(
    planHold(CHEAP, { inputTokens: 10_000_000, images: 0, cacheTtl: "5m", maxTokens: 16, n: 1 })
      .inputTokens,
    200_000,
  );
});

test("a limit beyond the context window is the window: no answer is longer, and no sum leaves its range", () => {
  const huge = {
    inputTokens: 10,
    images: 0,
    cacheTtl: "5m",
    maxTokens: Number.MAX_SAFE_INTEGER,
    n: 128,
  } as const;
  assert.equal(planHold(CHEAP, huge).limitTokens, 128 * 200_000);
});
