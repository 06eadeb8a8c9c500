/** Token usage in one neutral shape, whatever protocol reported it: every field counted once, none a subset of another but reasoning. */

export interface TokenUsage {
  /** Prompt tokens that were neither read from nor written to a cache. */
  readonly inputTokens: number;
  /** Prompt tokens read from a cache. */
  readonly cachedInputTokens: number;
  /** Prompt tokens written to a cache that lives five minutes. */
  readonly cacheWrite5mTokens: number;
  /** Prompt tokens written to a cache that lives an hour. */
  readonly cacheWrite1hTokens: number;
  /** All generated tokens, reasoning included. */
  readonly outputTokens: number;
  /** Of outputTokens, those spent on hidden or visible reasoning. */
  readonly reasoningTokens: number;
  /** Input images, where the model's price counts them. */
  readonly images: number;
}

export const NO_USAGE: TokenUsage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  images: 0,
};

/** The names of all its counts, for whoever reads one from JSON. */
export const TOKEN_USAGE_COUNTS = [
  "inputTokens",
  "cachedInputTokens",
  "cacheWrite5mTokens",
  "cacheWrite1hTokens",
  "outputTokens",
  "reasoningTokens",
  "images",
] as const satisfies readonly (keyof TokenUsage)[];

/** Where a receipt's usage came from (contract §6): the upstream's own figure, our count of what was delivered, or none. */
export type UsageSource = "upstream" | "counted" | "none";
