/**
 * Which price counts for one request: its tier's or its variant's, and by what it is multiplied
 * (contract §12).
 */
import type { VariantField } from "../../kernel/price-raises.ts";
import { VARIANT_FIELDS } from "../../kernel/price-raises.ts";
import type { ChatPrice } from "./chat-price.ts";
import type { ChatTariff, ChatTier, ChatUse, ChatVariant } from "./chat-tariff.ts";
import type { Decimal } from "./decimal.ts";

export interface ChatRate {
  readonly price: ChatPrice;
  /** The tier that counts; null below all of them. */
  readonly tier: ChatTier | null;
  /** Of every kind of token. */
  readonly multipliers: readonly RateMultiplier[];
}

export interface RateMultiplier {
  readonly field: VariantField;
  readonly value: string;
  readonly by: Decimal;
}

const NO_MULTIPLIERS: readonly RateMultiplier[] = [];

/**
 * A variant that the tariff does not name counts as none. Of two with a price of their own, which
 * admission refuses, the last one counts.
 */
export function rateOf(
  tariff: ChatTariff,
  promptTokens: number,
  variants: ChatUse["variants"] | null,
): ChatRate {
  if (variants === null || tariff.surcharges === undefined)
    return rateIn(tariff, promptTokens, NO_MULTIPLIERS);
  let list: Pick<ChatTariff, "price" | "tiers"> = tariff;
  const multipliers: RateMultiplier[] = [];
  for (const field of VARIANT_FIELDS) {
    const value = variants[field];
    const variant = value === undefined ? undefined : variantOf(tariff, field, value);
    if (value === undefined || variant === undefined) continue;
    if (variant.kind === "multiply") multipliers.push({ field, value, by: variant.by });
    else list = variant;
  }
  return rateIn(list, promptTokens, multipliers);
}

function rateIn(
  { price, tiers }: Pick<ChatTariff, "price" | "tiers">,
  promptTokens: number,
  multipliers: readonly RateMultiplier[],
): ChatRate {
  const tier = tierOf(tiers, promptTokens);
  return { price: tier?.price ?? price, tier, multipliers };
}

export function variantOf(
  tariff: ChatTariff,
  field: VariantField,
  value: string,
): ChatVariant | undefined {
  return tariff.surcharges?.variants.get(field)?.get(value);
}

function tierOf(tiers: readonly ChatTier[] | undefined, promptTokens: number): ChatTier | null {
  let found: ChatTier | null = null;
  for (const tier of tiers ?? []) if (promptTokens > tier.abovePromptTokens) found = tier;
  return found;
}
