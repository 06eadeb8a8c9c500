/**
 * Guarantee: for any tariff, request, answer and usage the hold is at least the charge, and the
 * explanation of a charge comes to it to the nano-rouble.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nano, type Nano } from "../../kernel/money.ts";
import { VARIANT_FIELDS, type PriceRaise, type UsedRaises } from "../../kernel/price-raises.ts";
import { promptTokensOf, type TokenUsage } from "../../kernel/token-usage.ts";
import { batchRaises } from "./batch-variant.ts";
import type { ChatPrice } from "./chat-price.ts";
import { variantOf } from "./chat-rate.ts";
import type { ChatTariff, ChatVariant } from "./chat-tariff.ts";
import { compileTariff, describeTariff } from "./compile-tariff.ts";
import { explainChatPrice } from "./explain-price.ts";
import { judgeRaises } from "./judge-raises.ts";
import { priceChat, priceChatAtMost } from "./price-chat.ts";
import { resolveUse } from "./resolve-use.ts";

const VALUES = ["priority", "flex", "fast", "us"];
const TOOLS = ["web_search", "code_execution"];
const TIERS = [1_000, 50_000, 200_000];

const amount = fc.bigInt({ min: 0n, max: 3_000_000_000_000n }).map((value) => nano(value));
const price: fc.Arbitrary<ChatPrice> = fc.record({
  input: amount,
  cachedInput: amount,
  cacheWrite5m: amount,
  cacheWrite1h: amount,
  imageInput: amount,
  audioInput: amount,
  output: amount,
  reasoning: amount,
  audioOutput: amount,
  imageOutput: amount,
  image: amount,
  request: amount,
});
const tiers = fc
  .subarray(TIERS)
  .chain((steps) =>
    fc.tuple(
      ...steps.map((abovePromptTokens) => price.map((of) => ({ abovePromptTokens, price: of }))),
    ),
  );
// Below 100: three of them times the dearest usage still fit into what an amount can be.
const factor = fc.record({
  digits: fc.bigInt({ min: 1n, max: 9_999n }),
  scale: fc.integer({ min: 2, max: 4 }),
});
const variant: fc.Arbitrary<ChatVariant> = fc.oneof(
  fc.record({ kind: fc.constant("multiply" as const), by: factor }),
  fc.record({ kind: fc.constant("price" as const), price, tiers }),
);
const tariff: fc.Arbitrary<ChatTariff> = fc
  .record({
    price,
    tiers,
    variants: fc.array(
      fc.tuple(fc.constantFrom(...VARIANT_FIELDS), fc.constantFrom(...VALUES, "batch"), variant),
      { maxLength: 6 },
    ),
    tools: fc.array(
      fc.tuple(fc.constantFrom(...TOOLS), amount, amount, fc.integer({ min: 1, max: 9 })),
      { maxLength: 3 },
    ),
  })
  .map(({ variants, tools, ...rest }) => {
    const fields = new Map(
      VARIANT_FIELDS.map((field) => [
        field,
        new Map(
          variants.filter(([of]) => of === field).map(([, value, is]) => [value, is] as const),
        ),
      ]),
    );
    const charges = new Map(
      tools.map(([tool, perCall, perRequest, maxCalls]) => [
        tool,
        { perCall, perRequest, maxCalls },
      ]),
    );
    return { ...rest, surcharges: { variants: fields, tools: charges, free: new Set<string>() } };
  });
const raises: fc.Arbitrary<PriceRaise[]> = fc
  .record({
    variants: fc.array(fc.tuple(fc.constantFrom(...VARIANT_FIELDS), fc.constantFrom(...VALUES)), {
      maxLength: 3,
    }),
    tools: fc.array(fc.tuple(fc.constantFrom(...TOOLS), fc.option(fc.nat(20)), fc.boolean()), {
      maxLength: 2,
    }),
  })
  .map(({ variants, tools }) => [
    ...[...new Map(variants)].map(([field, value]): PriceRaise => ({
      kind: "variant",
      param: field,
      field,
      value,
    })),
    ...tools.map(([tool, maxUses, always]): PriceRaise => ({
      kind: "tool",
      param: always ? "web_search_options" : "tools[0]",
      tool,
      maxUses,
    })),
    { kind: "media", param: "modalities", media: "audioOutput" },
    { kind: "media", param: "modalities", media: "imageOutput" },
    { kind: "media", param: "messages", media: "audioInput" },
  ]);
const used: fc.Arbitrary<UsedRaises> = fc
  .record({
    variants: fc.array(
      fc.tuple(fc.constantFrom(...VARIANT_FIELDS), fc.constantFrom(...VALUES, "default")),
      { maxLength: 3 },
    ),
    calls: fc.array(fc.tuple(fc.constantFrom(...TOOLS), fc.nat(30)), { maxLength: 2 }),
  })
  .map(({ variants, calls }) => ({
    variants: Object.fromEntries(variants),
    toolCalls: Object.fromEntries(calls),
    costText: null,
  }));
const count = fc.oneof(fc.nat(300), fc.nat(120_000));
const usage: fc.Arbitrary<TokenUsage> = fc
  .record({
    inputTokens: count,
    cachedInputTokens: count,
    cacheWrite5mTokens: count,
    cacheWrite1hTokens: count,
    text: count,
    reasoningTokens: count,
    images: fc.nat(3),
    media: fc.record({
      audioInput: count,
      imageInput: count,
      audioOutput: count,
      imageOutput: count,
    }),
    withMedia: fc.boolean(),
  })
  .map(({ text, media, withMedia, ...plain }) => {
    const outputTokens =
      text + plain.reasoningTokens + (withMedia ? media.audioOutput + media.imageOutput : 0);
    // Images that are in no request are told by no answer that is believed.
    const reported = { ...media, imageInput: plain.images === 0 ? 0 : media.imageInput };
    return { ...plain, outputTokens, ...(withMedia ? { media: reported } : {}) };
  });

/** What a request and its answer come to; null where the request is refused. */
function judged(of: ChatTariff, wanted: readonly PriceRaise[], inBatch = false) {
  try {
    const asked = judgeRaises(of, wanted, "chat.completions");
    if (!inBatch) return { asked };
    // A line of a batch has no tier of its own, and one price list.
    if (asked?.variants.some(({ field }) => field === "serviceTier") === true) return null;
    const priced = batchRaises(of, asked);
    const lists = (priced?.variants ?? []).filter(
      ({ field, value }) => variantOf(of, field, value)?.kind === "price",
    );
    return lists.length > 1 ? null : { asked: priced };
  } catch {
    return null;
  }
}

test("the hold covers whatever variant, tier, kind and number of calls the answer turns out to be", () => {
  let compared = 0;
  fc.assert(
    fc.property(
      tariff,
      raises,
      used,
      usage,
      fc.boolean(),
      fc.boolean(),
      (of, wanted, reported, counts, translated, inBatch) => {
        const request = judged(of, wanted, inBatch);
        if (request === null) return;
        compared += 1;
        const { asked } = request;
        const bound = {
          inputTokens: promptTokensOf(counts),
          images: counts.images,
          cacheTtl: "1h" as const,
        };
        // More calls than were held for extend the hold before they are charged.
        const seen = asked && {
          ...asked,
          tools: asked.tools.map((tool) => ({
            ...tool,
            mostCalls: Math.max(tool.mostCalls, reported.toolCalls[tool.tool] ?? 0),
          })),
        };
        const held = priceChatAtMost(of, bound, counts.outputTokens, seen);
        const { charged } = resolveUse(of, asked, reported, translated);
        const charge = priceChat(of, counts, charged);
        assert.ok(held >= charge, `${held} is less than ${charge}`);
      },
    ),
    { numRuns: 3_000 },
  );
  assert.ok(compared > 500, `only ${compared} requests were not refused`);
});

test("an explained price is the charge, to the nano-rouble, and the written tariff is read back as itself", () => {
  fc.assert(
    fc.property(tariff, raises, used, usage, (of, wanted, reported, counts) => {
      const request = judged(of, wanted);
      const { charged } = resolveUse(of, request?.asked ?? null, reported, false);
      const charge = priceChat(of, counts, charged);
      assert.equal(explainChatPrice(of, counts, charged).priceNano, charge);
      assert.equal(
        priceChat(compileTariff(structuredClone(describeTariff(of))), counts, charged),
        charge,
      );
    }),
    { numRuns: 1_000 },
  );
});

const PLAIN: ChatPrice = {
  input: m(150),
  cachedInput: m(15),
  output: m(600),
  reasoning: m(600),
  image: m(0),
  request: m(0),
};

function m(roubles: number): Nano {
  return nano(BigInt(roubles) * 1_000_000_000n);
}

test("the formula by hand: variant or tier or base, times multipliers, rounded up once, and calls, images and requests beside", () => {
  const double: ChatVariant = { kind: "multiply", by: { digits: 25n, scale: 1 } };
  const region: ChatVariant = { kind: "multiply", by: { digits: 11n, scale: 1 } };
  const of: ChatTariff = {
    price: { ...PLAIN, image: m(2), request: m(3) },
    tiers: [
      { abovePromptTokens: 1_000, price: { ...PLAIN, input: m(300), image: m(2), request: m(3) } },
    ],
    surcharges: {
      variants: new Map([
        ["serviceTier", new Map([["priority", double]])],
        ["inferenceGeo", new Map([["us", region]])],
      ]),
      tools: new Map([["web_search", { perCall: m(1), perRequest: m(5), maxCalls: 4 }]]),
      free: new Set(),
    },
  };
  const counts = {
    inputTokens: 600,
    cachedInputTokens: 400,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    outputTokens: 10,
    reasoningTokens: 0,
    images: 1,
  };
  const use = {
    variants: { serviceTier: "priority", inferenceGeo: "us" },
    tools: { web_search: 2 },
  };
  // 1,000 prompt tokens are not above 1,000: (600 × 150 + 400 × 15 + 10 × 600) / 10⁶ × 2.5 × 1.1 =
  // 0.2805, + 2 × 1 + 5 + 2 + 3
  assert.equal(priceChat(of, counts, use), 12_280_500_000n);
  // One more token, and all of them are in the tier: (601 × 300 + 6,000 + 6,000) / 10⁶ × 2.75 =
  // 0.528825
  assert.equal(priceChat(of, { ...counts, inputTokens: 601 }, use), 12_528_825_000n);
  // Held: the dearest kind in the tier, 1,001 × 300 and 10 × 600 at 2.75, and four calls.
  const asked = {
    variants: [
      { field: "serviceTier" as const, value: "priority" },
      { field: "inferenceGeo" as const, value: "us" },
    ],
    tools: [{ tool: "web_search", mostCalls: 4, maxUses: null, silentCalls: 0 }],
    media: [],
  };
  const held = priceChatAtMost(of, { inputTokens: 1_001, images: 1, cacheTtl: "5m" }, 10, asked);
  assert.equal(held, 842_325_000n + 14_000_000_000n);
});
