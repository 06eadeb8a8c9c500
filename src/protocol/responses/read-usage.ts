/**
 * The `usage` object of the Responses protocol, read into the neutral shape and written back from
 * it.
 */
import { promptTokensOf, type TokenUsage } from "../../kernel/token-usage.ts";
import { isRecord } from "../json/is-record.ts";
import { readUsage } from "../openai/read-usage.ts";
import type { UsageReading } from "../usage-reading.ts";

/**
 * It says what the usage of Chat Completions says by other names, so the same rules judge it:
 * cached and cache-written tokens are parts of `input_tokens`, reasoning is one of
 * `output_tokens`. What was written to a cache for 30 minutes counts as five-minute writes, and for
 * 12 hours as hour-long ones: the catalogue has a price for the shorter life and one for the longer.
 */
export function readResponsesUsage(raw: unknown): UsageReading {
  if (!isRecord(raw)) return readUsage(raw);
  const { input_tokens, output_tokens, total_tokens } = raw;
  return readUsage({
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens,
    prompt_tokens_details: raw["input_tokens_details"],
    completion_tokens_details: raw["output_tokens_details"],
  });
}

/** The neutral shape as a Responses `usage` object, for answers that the gateway itself completes. */
export function renderResponsesUsage(usage: TokenUsage): Record<string, unknown> {
  const input = promptTokensOf(usage);
  const { cachedInputTokens, outputTokens, reasoningTokens } = usage;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: cachedInputTokens,
      cache_write_tokens: usage.cacheWrite5mTokens + usage.cacheWrite1hTokens,
    },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: input + outputTokens,
  };
}
