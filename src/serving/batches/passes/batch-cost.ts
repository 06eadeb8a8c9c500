/**
 * What a route takes for what its batch answers: an upstream does not say of each answer that it was
 * of a batch, so the cost itself is made that of one.
 */
import { BATCH_VARIANT } from "../../../contract/price/batch-variant.ts";
import { TOKEN_KINDS, type ChatPrice } from "../../../contract/price/chat-price.ts";
import { variantOf } from "../../../contract/price/chat-rate.ts";
import type { ChatSurcharges, ChatTariff } from "../../../contract/price/chat-tariff.ts";
import type { Decimal } from "../../../contract/price/decimal.ts";
import { divideUp, nano } from "../../../kernel/money.ts";

const NO_SURCHARGES: ChatSurcharges = { variants: new Map(), tools: new Map(), free: new Set() };
const ONCE = { kind: "multiply", by: { digits: 1n, scale: 0 } } as const;

/** Null where the catalogue does not say what it takes for a batch. */
export function batchCost(cost: ChatTariff | null): ChatTariff | null {
  const { field, value } = BATCH_VARIANT;
  const variant = cost === null ? undefined : variantOf(cost, field, value);
  if (cost === null || variant === undefined) return null;
  const own =
    variant.kind === "price"
      ? { price: variant.price, tiers: variant.tiers }
      : {
          price: times(cost.price, variant.by),
          tiers: (cost.tiers ?? []).map((tier) => ({
            ...tier,
            price: times(tier.price, variant.by),
          })),
        };
  // It names the variant, so it has surcharges.
  const surcharges: ChatSurcharges = cost.surcharges ?? NO_SURCHARGES;
  const variants = new Map(surcharges.variants);
  variants.set(field, new Map([...(variants.get(field) ?? []), [value, ONCE]]));
  return { ...cost, ...own, surcharges: { ...surcharges, variants } };
}

/** Of tokens; a cost is no charge, so a part of a nano-rouble in a million is nothing. */
function times(price: ChatPrice, { digits, scale }: Decimal): ChatPrice {
  const kinds = TOKEN_KINDS.flatMap((kind) => {
    const amount = price[kind];
    return amount === undefined
      ? []
      : [[kind, nano(divideUp(amount * digits, 10n ** BigInt(scale)))] as const];
  });
  return { ...price, ...Object.fromEntries(kinds) };
}
