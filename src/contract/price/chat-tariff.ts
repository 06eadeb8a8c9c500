/**
 * The shape of all that a chat model costs: its price, the prices of long prompts, and what makes a
 * request dearer (contract §12).
 */
import type { Nano } from "../../kernel/money.ts";
import type { VariantField } from "../../kernel/price-raises.ts";
import type { ChatPrice } from "./chat-price.ts";
import type { Decimal } from "./decimal.ts";

/** What a customer pays, or what a route takes from the operator. */
export interface ChatTariff {
  readonly price: ChatPrice;
  /** By `abovePromptTokens`, lowest first; absent where there are none. */
  readonly tiers?: readonly ChatTier[];
  readonly surcharges?: ChatSurcharges;
}

/** The price of all tokens of a request whose prompt has more tokens than these. */
export interface ChatTier {
  readonly abovePromptTokens: number;
  readonly price: ChatPrice;
}

export interface ChatSurcharges {
  readonly variants: ReadonlyMap<VariantField, ReadonlyMap<string, ChatVariant>>;
  /** The upstream's own tools, by name. */
  readonly tools: ReadonlyMap<string, ToolCharge>;
  /** Names of fields and tools that are allowed without a price. */
  readonly free: ReadonlySet<string>;
}

/**
 * A service tier, a speed or a region: a multiplier of every kind of token, or a price of its own
 * with its own tiers.
 */
export type ChatVariant =
  | { readonly kind: "multiply"; readonly by: Decimal }
  | { readonly kind: "price"; readonly price: ChatPrice; readonly tiers: readonly ChatTier[] };

export interface ToolCharge {
  readonly perCall: Nano;
  /** Of a request that offers the tool. */
  readonly perRequest: Nano;
  /** How many calls are held for where the caller names no bound. */
  readonly maxCalls: number;
}

/** Beside its tokens: what the price of one answer depends on. */
export interface ChatUse {
  readonly variants: Readonly<Partial<Record<VariantField, string>>>;
  /** Calls by tool; one with no calls still pays its price for a request. */
  readonly tools: Readonly<Record<string, number>>;
}
