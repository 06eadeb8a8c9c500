/**
 * Guards prices of calls: exact to the nano-rouble, rounded up once, the same in lines and sum, and
 * never above what was held for.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nano } from "../../kernel/money.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import { CALL_TOKEN_KINDS, type CallAmountKind, type CallPrice } from "./call-price.ts";
import { costOfCall, explainCallPrice, priceCall, priceCallAtMost } from "./price-call.ts";

const ROUBLE = 1_000_000_000n;

function price(amounts: Partial<Record<CallAmountKind, bigint>>): CallPrice {
  const pairs = Object.entries(amounts).map(
    ([kind, amount]) => [kind as CallAmountKind, nano(amount)] as const,
  );
  return { amounts: new Map(pairs) };
}

test("each unit by hand, rounded up once", () => {
  const tokens = { ...NO_USAGE, inputTokens: 3 };
  assert.equal(priceCall(price({ input: 1n }), { tokens, counts: {} }), 1n);
  assert.equal(priceCall(price({ input: 12n * ROUBLE }), { tokens, counts: {} }), 36_000n);
  const of = (amounts: Partial<Record<CallAmountKind, bigint>>, counts: object): bigint =>
    priceCall(price(amounts), { tokens: NO_USAGE, counts });
  assert.equal(of({ documents1000: 15n * ROUBLE }, { documents: 7 }), 105_000_000n);
  assert.equal(of({ characters1M: 1500n * ROUBLE }, { characters: 11 }), 16_500_000n);
  assert.equal(of({ second: ROUBLE / 100n }, { milliseconds: 12_345 }), 123_450_000n);
  assert.equal(of({ second: 1n }, { milliseconds: 1 }), 1n);
  assert.equal(of({ request: 5n }, {}), 5n);
  assert.equal(of({ request: 0n }, {}), 0n);
});

test("an image by what was asked of it; what has no price there was never sold", () => {
  const table: CallPrice = {
    amounts: new Map(),
    image: {
      kind: "by",
      parameter: "size",
      values: new Map([["1024x1024", { kind: "amount", perUnitNano: nano(7n) }]]),
    },
  };
  const of = (size: string): bigint =>
    priceCall(table, { tokens: NO_USAGE, counts: { images: 3, image: { size } } });
  assert.equal(of("1024x1024"), 21n);
  assert.throws(() => of("1x1"));
  assert.equal(costOfCall(table, { tokens: NO_USAGE, counts: {} }), null);
});

test("what a price counts and nobody counted is no price of zero", () => {
  for (const kind of ["documents1000", "characters1M", "second"] as const)
    assert.throws(() => priceCall(price({ [kind]: 1n }), { tokens: NO_USAGE, counts: {} }));
  const cost = price({ documents1000: 5n });
  assert.equal(costOfCall(cost, { tokens: NO_USAGE, counts: {} }), null);
  assert.equal(costOfCall(null, { tokens: NO_USAGE, counts: {} }), null);
});

const count = fc.nat({ max: 10_000_000 });
const amount = fc.bigInt({ min: 0n, max: 10_000n * ROUBLE });

test("the hold covers whatever kinds an upstream counts the tokens into; lines add up to the price", () => {
  fc.assert(
    fc.property(
      fc.record(Object.fromEntries(CALL_TOKEN_KINDS.map((kind) => [kind, amount]))),
      fc.tuple(count, count, count, count, count, count),
      (amounts, [plain, cached, audio, image, text, made]) => {
        const tariff = price(amounts);
        const tokens = {
          ...NO_USAGE,
          inputTokens: plain,
          cachedInputTokens: cached,
          outputTokens: text + made,
          media: { audioInput: audio, imageInput: image, audioOutput: 0, imageOutput: made },
        };
        const explained = explainCallPrice(tariff, { tokens, counts: {} });
        const bound = {
          inputTokens: plain + cached + audio + image,
          outputTokens: text + made,
          counts: {},
        };
        assert.ok(explained.priceNano <= priceCallAtMost(tariff, bound));
        const sum = explained.lines.reduce(
          (total, { amount: line }) => total + line.digits * 10n ** BigInt(9 - line.scale),
          0n,
        );
        assert.equal(explained.priceNano, (sum + ROUBLE - 1n) / ROUBLE);
      },
    ),
  );
});
