/**
 * What a receipt keeps of the parts of its price beside the usage, so that it can be explained by
 * the price list later.
 */
import { rateOf } from "../../contract/price/chat-rate.ts";
import type { ChatTariff, ChatUse } from "../../contract/price/chat-tariff.ts";
import type { ResolvedUse, VariantUse } from "../../contract/price/resolve-use.ts";
import { promptTokensOf, type TokenUsage } from "../../kernel/token-usage.ts";
import { isRecord } from "../../protocol/json/is-record.ts";
import { VARIANT_FIELDS } from "../../kernel/price-raises.ts";

/** All absent where tokens alone count, at the base price. */
export interface ChargedParts {
  /** The prompt tokens that the tier of the price begins above. */
  readonly tier?: number;
  readonly use?: ChatUse;
  readonly variants?: readonly VariantUse[];
}

const TOKENS_ALONE: ChargedParts = {};

export function chargedParts(
  tariff: ChatTariff,
  usage: TokenUsage,
  { charged, variants }: Pick<ResolvedUse, "charged" | "variants">,
): ChargedParts {
  if (charged === null && variants.length === 0 && tariff.tiers === undefined) return TOKENS_ALONE;
  const { tier } = rateOf(tariff, promptTokensOf(usage), charged?.variants ?? null);
  return {
    ...(tier === null ? {} : { tier: tier.abovePromptTokens }),
    ...(charged === null ? {} : { use: charged }),
    ...(variants.length === 0 ? {} : { variants }),
  };
}

/** As they were stored; what is not readable is left out. */
export function readChargedParts(stored: Readonly<Record<string, unknown>>): ChargedParts {
  const { tier, use, variants } = stored;
  return {
    ...(Number.isSafeInteger(tier) ? { tier: tier as number } : {}),
    ...(isUse(use) ? { use } : {}),
    ...(Array.isArray(variants) ? { variants: variants.filter(isVariantUse) } : {}),
  };
}

function isUse(value: unknown): value is ChatUse {
  if (!isRecord(value) || !isRecord(value["variants"]) || !isRecord(value["tools"])) return false;
  return (
    Object.values(value["variants"]).every((variant) => typeof variant === "string") &&
    Object.values(value["tools"]).every(
      (calls) => Number.isSafeInteger(calls) && (calls as number) >= 0,
    )
  );
}

function isVariantUse(value: unknown): value is VariantUse {
  if (!isRecord(value)) return false;
  const { field, asked, used } = value;
  const isWord = (word: unknown): boolean => word === null || typeof word === "string";
  return VARIANT_FIELDS.some((known) => known === field) && isWord(asked) && isWord(used);
}
