/** The shape of a chat price: what a kind of token, an image and a request cost. */
import type { Nano } from "../../kernel/money.ts";

/**
 * Nano-roubles per 1,000,000 tokens, but `image` and `request`: nano-roubles each. Defaults are
 * filled in; a kind that is absent has no price, and a request that asks for it is refused
 * (contract §12).
 */
export interface ChatPrice {
  readonly input: Nano;
  readonly cachedInput: Nano;
  readonly cacheWrite5m?: Nano;
  readonly cacheWrite1h?: Nano;
  /** Absent: what input costs. */
  readonly imageInput?: Nano;
  readonly audioInput?: Nano;
  readonly output: Nano;
  readonly reasoning: Nano;
  readonly audioOutput?: Nano;
  readonly imageOutput?: Nano;
  readonly image: Nano;
  readonly request: Nano;
}

/** Kinds of tokens, in the order in which prices are shown. */
export const TOKEN_KINDS = [
  "input",
  "cachedInput",
  "cacheWrite5m",
  "cacheWrite1h",
  "imageInput",
  "audioInput",
  "output",
  "reasoning",
  "audioOutput",
  "imageOutput",
] as const satisfies readonly (keyof ChatPrice)[];
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** What is counted apart from tokens: their prices are for one. */
export const EACH_KINDS = ["image", "request"] as const satisfies readonly (keyof ChatPrice)[];

export const CHAT_PRICE_KINDS = [...TOKEN_KINDS, ...EACH_KINDS] as const;

/**
 * What one token of a kind costs. A kind without a price of its own is refused where a request asks
 * for it; an answer that tells of it unasked is charged what such a token costs otherwise.
 */
export function kindNano(price: ChatPrice, kind: TokenKind): Nano {
  const own = price[kind];
  if (own !== undefined) return own;
  return kind === "audioOutput" || kind === "imageOutput" ? price.output : price.input;
}
