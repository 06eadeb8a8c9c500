/**
 * Guarantee: a line of a batch is held for and charged at the price for batches, whatever tier its
 * upstream says that it served; the operator's cost is that of what was served.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nano } from "../../kernel/money.ts";
import { NOTHING_USED, type UsedRaises } from "../../kernel/price-raises.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import { batchRaises } from "./batch-variant.ts";
import type { ChatTariff, ChatVariant } from "./chat-tariff.ts";
import { priceChat, priceChatAtMost } from "./price-chat.ts";
import { resolveUse } from "./resolve-use.ts";

const price = (input: bigint, output: bigint) => ({
  input: nano(input),
  cachedInput: nano(input),
  output: nano(output),
  reasoning: nano(output),
  image: nano(0n),
  request: nano(0n),
});

function tariffOf(batch: ChatVariant | null): ChatTariff {
  const tiers = new Map<string, ChatVariant>([
    ["priority", { kind: "multiply", by: { digits: 2n, scale: 0 } }],
    ...(batch === null ? [] : [["batch", batch] as const]),
  ]);
  return {
    price: price(100_000_000n, 400_000_000n),
    surcharges: { variants: new Map([["serviceTier", tiers]]), tools: new Map(), free: new Set() },
  };
}

const HALF: ChatVariant = { kind: "multiply", by: { digits: 5n, scale: 1 } };
const OWN: ChatVariant = { kind: "price", price: price(30_000_000n, 90_000_000n), tiers: [] };
const bound = { inputTokens: 1_000, images: 0, cacheTtl: "none" } as const;
const usage = { ...NO_USAGE, inputTokens: 1_000, outputTokens: 500 };
const reportOf = (serviceTier?: string): UsedRaises =>
  serviceTier === undefined ? NOTHING_USED : { ...NOTHING_USED, variants: { serviceTier } };

for (const [name, variant, expected] of [
  ["a multiplier below one", HALF, 150_000n],
  ["a multiplier above one", { kind: "multiply", by: { digits: 15n, scale: 1 } }, 450_000n],
  ["a price list of its own", OWN, 75_000n],
] as const)
  test(`${name}: held and charged, whatever the answer says of its tier`, () => {
    const tariff = tariffOf(variant);
    const asked = batchRaises(tariff, null);
    assert.equal(priceChatAtMost(tariff, bound, 500, asked), expected);
    for (const answer of [undefined, "default", "priority", "batch"])
      for (const translated of [false, true]) {
        const { charged, done, variants } = resolveUse(tariff, asked, reportOf(answer), translated);
        assert.equal(priceChat(tariff, usage, charged), expected);
        assert.deepEqual(variants, [{ field: "serviceTier", asked: "batch", used: "batch" }]);
        assert.deepEqual(done?.variants["serviceTier"], answer);
      }
  });

test("a model without a price for batches is sold in them at its base", () => {
  const tariff = tariffOf(null);
  assert.equal(batchRaises(tariff, null), null);
  assert.equal(priceChatAtMost(tariff, bound, 500, null), 300_000n);
});
