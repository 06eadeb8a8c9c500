/**
 * What of a receipt is summed: kept in columns of its own, since to take every detail apart costs
 * more than all the rest of summing.
 */
import { minNano, type Nano } from "../kernel/money.ts";
import { promptTokensOf, TOKEN_USAGE_COUNTS, type TokenUsage } from "../kernel/token-usage.ts";

export interface ReceiptFigures {
  /** All of the prompt. */
  readonly inputTokens: bigint;
  /** Of them, those read from a cache. */
  readonly cachedTokens: bigint;
  readonly outputTokens: bigint;
  /** That served the request; null: none did. */
  readonly upstream: string | null;
  /** Of that upstream; null: not known. */
  readonly costNano: Nano | null;
}

/**
 * No sum is stopped by one absurd count, which an upstream may report: beyond these it is not
 * believed.
 */
const MOST_TOKENS = 1_000_000_000_000;
/** A million roubles. */
const MOST_NANO = 1_000_000_000_000_000n as Nano;

export function receiptFigures(
  usage: TokenUsage,
  upstream: string | null,
  costNano: Nano | null,
): ReceiptFigures {
  const { cachedInputTokens, outputTokens } = usage;
  return {
    inputTokens: tokens(promptTokensOf(usage)),
    cachedTokens: tokens(cachedInputTokens),
    outputTokens: tokens(outputTokens),
    upstream,
    costNano: costNano === null ? null : minNano(costNano, MOST_NANO),
  };
}

function tokens(count: number): bigint {
  return BigInt(count < MOST_TOKENS ? Math.round(count) : MOST_TOKENS);
}

/** The counts that are not zero: a receipt leaves the others out. */
export function countsToKeep(usage: TokenUsage): Partial<TokenUsage> {
  const kept: { -readonly [Name in keyof TokenUsage]?: TokenUsage[Name] } = {};
  for (const name of TOKEN_USAGE_COUNTS) if (usage[name] !== 0) kept[name] = usage[name];
  if (usage.media !== undefined) kept.media = usage.media;
  return kept;
}
