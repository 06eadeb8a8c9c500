/**
 * Guards the price of an answer: golden amounts to the last nano-rouble, no float, one rounding up,
 * more usage never costs less.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { InvariantError } from "../../kernel/assert.ts";
import { formatRoubles, nano, parseRoubles } from "../../kernel/money.ts";
import type { Nano } from "../../kernel/money.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";
import { NO_USAGE, TOKEN_USAGE_COUNTS } from "../../kernel/token-usage.ts";
import type { ChatPrice } from "./chat-price.ts";
import { priceChat, priceChatAtMost } from "./price-chat.ts";

function roubles(text: string): Nano {
  const amount = parseRoubles(text);
  assert.ok(amount !== null);
  return amount;
}

const LARGE: ChatPrice = {
  input: roubles("150"),
  cachedInput: roubles("15"),
  cacheWrite5m: roubles("187.5"),
  cacheWrite1h: roubles("300"),
  output: roubles("600"),
  reasoning: roubles("750"),
  image: roubles("0.4"),
  request: roubles("0.01"),
};
const FREE: ChatPrice = {
  input: nano(0n),
  cachedInput: nano(0n),
  cacheWrite5m: nano(0n),
  cacheWrite1h: nano(0n),
  output: nano(0n),
  reasoning: nano(0n),
  image: nano(0n),
  request: nano(0n),
};

test("golden table: each class of tokens has its own price, and nothing is counted twice", () => {
  const rows: [Partial<TokenUsage>, string][] = [
    [{}, "0.01"],
    [{ inputTokens: 1 }, "0.01015"],
    [{ inputTokens: 1_000_000 }, "150.01"],
    [{ cachedInputTokens: 1_000_000 }, "15.01"],
    [{ cacheWrite5mTokens: 1_000_000 }, "187.51"],
    [{ cacheWrite1hTokens: 1_000_000 }, "300.01"],
    [{ outputTokens: 1_000_000 }, "600.01"],
    [{ outputTokens: 1_000_000, reasoningTokens: 1_000_000 }, "750.01"],
    [{ outputTokens: 1_000_000, reasoningTokens: 400_000 }, "660.01"],
    [{ images: 3 }, "1.21"],
    // 100 × 150 + 900 × 15 + 40 × 187.5 + 60 × 300 + 200 × 600 + 50 × 750 = 211500 per million, + 2
    // × 0.4 + 0.01
    [
      {
        inputTokens: 100,
        cachedInputTokens: 900,
        cacheWrite5mTokens: 40,
        cacheWrite1hTokens: 60,
        outputTokens: 250,
        reasoningTokens: 50,
        images: 2,
      },
      "1.0215",
    ],
  ];
  for (const [usage, expected] of rows)
    assert.equal(
      formatRoubles(priceChat({ price: LARGE }, { ...NO_USAGE, ...usage })),
      expected,
      JSON.stringify(usage),
    );
});

test("a fraction of a nano-rouble is rounded up, once: not per class of tokens", () => {
  const tiny: ChatPrice = {
    ...FREE,
    input: roubles("0.000000001"),
    cachedInput: roubles("0.000000001"),
    output: roubles("0.000000001"),
    reasoning: roubles("0.000000001"),
  };
  assert.equal(priceChat({ price: tiny }, { ...NO_USAGE, inputTokens: 1 }), 1n);
  assert.equal(
    priceChat(
      { price: tiny },
      { ...NO_USAGE, inputTokens: 1, cachedInputTokens: 1, outputTokens: 2, reasoningTokens: 1 },
    ),
    1n,
  );
  assert.equal(
    priceChat({ price: tiny }, { ...NO_USAGE, inputTokens: 999_999, outputTokens: 1 }),
    1n,
  );
  assert.equal(
    priceChat({ price: tiny }, { ...NO_USAGE, inputTokens: 1_000_000, outputTokens: 1 }),
    2n,
  );
});

const prices = fc.record(
  Object.fromEntries(
    Object.keys(FREE).map((field) => [
      field,
      fc.bigInt({ min: 0n, max: 10_000_000n * 1_000_000_000n }),
    ]),
  ) as Record<keyof ChatPrice, fc.Arbitrary<bigint>>,
) as fc.Arbitrary<ChatPrice>;
const counts = fc.integer({ min: 0, max: 10_000_000 });
const usages: fc.Arbitrary<TokenUsage> = fc
  .record({
    inputTokens: counts,
    cachedInputTokens: counts,
    cacheWrite5mTokens: counts,
    cacheWrite1hTokens: counts,
    answer: counts,
    reasoningTokens: counts,
    images: fc.nat(100),
  })
  .map(({ answer, ...usage }) => ({ ...usage, outputTokens: answer + usage.reasoningTokens }));

function add(a: TokenUsage, b: TokenUsage): TokenUsage {
  return Object.fromEntries(
    TOKEN_USAGE_COUNTS.map((field) => [field, a[field] + b[field]]),
  ) as Record<(typeof TOKEN_USAGE_COUNTS)[number], number>;
}

test("more usage never costs less", () => {
  fc.assert(
    fc.property(
      prices,
      usages,
      usages,
      (price, usage, more) => priceChat({ price }, add(usage, more)) >= priceChat({ price }, usage),
    ),
  );
});

test("two parts priced apart cost what the whole costs, but for less than one nano-rouble of rounding", () => {
  fc.assert(
    fc.property(prices, usages, usages, (price, a, b) => {
      const free = { ...price, request: nano(0n) };
      const apart = priceChat({ price: free }, a) + priceChat({ price: free }, b);
      const whole = priceChat({ price: free }, add(a, b));
      return apart === whole || apart === whole + 1n;
    }),
  );
});

test("the price is the exact fraction rounded up, for any price and usage", () => {
  fc.assert(
    fc.property(prices, usages, (price, usage) => {
      const millionths =
        BigInt(usage.inputTokens) * price.input +
        BigInt(usage.cachedInputTokens) * price.cachedInput +
        BigInt(usage.cacheWrite5mTokens) * (price.cacheWrite5m ?? 0n) +
        BigInt(usage.cacheWrite1hTokens) * (price.cacheWrite1h ?? 0n) +
        BigInt(usage.outputTokens - usage.reasoningTokens) * price.output +
        BigInt(usage.reasoningTokens) * price.reasoning +
        (BigInt(usage.images) * price.image + price.request) * 1_000_000n;
      const charged = priceChat({ price }, usage) * 1_000_000n;
      return charged >= millionths && charged - millionths < 1_000_000n;
    }),
  );
});

test("no usage within a bound costs more than the most it can, and some usage costs exactly that", () => {
  fc.assert(
    fc.property(prices, usages, (price, usage) => {
      const inputTokens =
        usage.inputTokens +
        usage.cachedInputTokens +
        usage.cacheWrite5mTokens +
        usage.cacheWrite1hTokens;
      return (
        priceChatAtMost(
          { price },
          { inputTokens, images: usage.images, cacheTtl: "1h" },
          usage.outputTokens,
        ) >= priceChat({ price }, usage)
      );
    }),
  );
  const most = priceChatAtMost(
    { price: LARGE },
    { inputTokens: 1_000, images: 1, cacheTtl: "1h" },
    100,
  );
  assert.equal(
    most,
    priceChat(
      { price: LARGE },
      {
        ...NO_USAGE,
        cacheWrite1hTokens: 1_000,
        outputTokens: 100,
        reasoningTokens: 100,
        images: 1,
      },
    ),
  );
});

test("a usage that cannot be is an error, never a small price", () => {
  for (const usage of [
    { inputTokens: -1 },
    { outputTokens: 1.5 },
    { images: Number.NaN },
    { inputTokens: 2 ** 53 },
    { outputTokens: 1, reasoningTokens: 2 },
  ]) {
    assert.throws(
      () => priceChat({ price: LARGE }, { ...NO_USAGE, ...usage }),
      InvariantError,
      JSON.stringify(usage),
    );
  }
  assert.throws(
    () =>
      priceChat(
        { price: { ...LARGE, input: roubles("10000000") } },
        { ...NO_USAGE, inputTokens: 2 ** 52 },
      ),
    RangeError,
  );
});
