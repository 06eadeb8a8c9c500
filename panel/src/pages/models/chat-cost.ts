/** What chat requests of so many tokens cost, by the very code that the gateway charges with. */
import type { PanelModel } from "../../../../src/contract/panel/panel-model.ts";
import { compileTariff } from "../../../../src/contract/price/compile-tariff.ts";
import { explainChatPrice } from "../../../../src/contract/price/explain-price.ts";
import { fromUnits } from "../../ui/decimal.ts";

export type ChatPrice = Extract<PanelModel["price"], { readonly kind: "chat" }>;

/** 10⁻¹⁵ in a billionth of a rouble. */
const NANO_UNITS = 1_000_000n;

export interface ChatTokens {
  /** Of the prompt, neither read from nor written to a cache. */
  readonly input: bigint;
  readonly cachedInput: bigint;
  readonly output: bigint;
  readonly requests: bigint;
  /** Service tier, speed and region; absent: the base. */
  readonly variants?: Readonly<Record<string, string>>;
}

export interface ChatCost {
  readonly amount: string;
  /** The prompt tokens that the tier begins above whose prices count; null: the base. */
  readonly tier: number | null;
}

/** Each request is rounded up once to a billionth of a rouble. */
export function chatCost(
  { kind: _kind, ...price }: ChatPrice,
  { input, cachedInput, output, requests, variants }: ChatTokens,
): ChatCost {
  const usage = {
    inputTokens: Number(input),
    cachedInputTokens: Number(cachedInput),
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    outputTokens: Number(output),
    reasoningTokens: 0,
    images: 0,
  };
  const { priceNano, tier } = explainChatPrice(
    compileTariff(price),
    usage,
    variants === undefined ? null : { variants, tools: {} },
  );
  return { amount: fromUnits(priceNano * requests * NANO_UNITS), tier };
}
