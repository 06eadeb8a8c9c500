/**
 * Usage in the responses shape: cached tokens are part of the input, reasoning tokens part of the
 * output.
 */
import type { Figures } from "../report-usage.ts";

export function usageBody(figures: Figures): unknown {
  return {
    input_tokens: figures.prompt,
    input_tokens_details: {
      cached_tokens: figures.cached,
      cache_write_tokens: figures.cacheWrite5m + figures.cacheWrite1h,
    },
    output_tokens: figures.completion,
    output_tokens_details: { reasoning_tokens: figures.reasoning },
    total_tokens: figures.total,
  };
}
