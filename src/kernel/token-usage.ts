/**
 * Token usage in one neutral shape, whatever protocol reported it: every field counted once, none a
 * subset of another but reasoning and what media says of the output.
 */

export interface TokenUsage {
  /**
   * Plain prompt tokens: neither read from nor written to a cache, nor told apart as audio or image
   * (`media`).
   */
  readonly inputTokens: number;
  /** Prompt tokens read from a cache. */
  readonly cachedInputTokens: number;
  /** Prompt tokens written to a cache that lives five minutes. */
  readonly cacheWrite5mTokens: number;
  /** Prompt tokens written to a cache that lives an hour. */
  readonly cacheWrite1hTokens: number;
  /** All generated tokens: reasoning, audio and images included. */
  readonly outputTokens: number;
  /** Of outputTokens, those spent on hidden or visible reasoning. */
  readonly reasoningTokens: number;
  /** Input images, where the model's price counts them. */
  readonly images: number;
  /**
   * Tokens that are no text; absent where the answer told of none. Those of the prompt are
   * uncached: cached ones are in `cachedInputTokens`.
   */
  readonly media?: MediaTokens;
}

export interface MediaTokens {
  readonly audioInput: number;
  readonly imageInput: number;
  /** Of outputTokens. */
  readonly audioOutput: number;
  /** Of outputTokens. */
  readonly imageOutput: number;
}

/** All of the prompt, whichever kind its tokens are of. */
export function promptTokensOf(usage: TokenUsage): number {
  const { inputTokens, cachedInputTokens, cacheWrite5mTokens, cacheWrite1hTokens, media } = usage;
  const mediaTokens = media === undefined ? 0 : media.audioInput + media.imageInput;
  return inputTokens + cachedInputTokens + cacheWrite5mTokens + cacheWrite1hTokens + mediaTokens;
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

/** The names of its counts that are always there, to read one from JSON. */
export const TOKEN_USAGE_COUNTS = [
  "inputTokens",
  "cachedInputTokens",
  "cacheWrite5mTokens",
  "cacheWrite1hTokens",
  "outputTokens",
  "reasoningTokens",
  "images",
] as const satisfies readonly (keyof TokenUsage)[];

/** Whether both say the same of every kind; false where either has tokens that are no text, which are not compared. */
export function sameTextUsage(one: TokenUsage, other: TokenUsage): boolean {
  return (
    one.media === undefined &&
    other.media === undefined &&
    one.inputTokens === other.inputTokens &&
    one.cachedInputTokens === other.cachedInputTokens &&
    one.cacheWrite5mTokens === other.cacheWrite5mTokens &&
    one.cacheWrite1hTokens === other.cacheWrite1hTokens &&
    one.outputTokens === other.outputTokens &&
    one.reasoningTokens === other.reasoningTokens &&
    one.images === other.images
  );
}
