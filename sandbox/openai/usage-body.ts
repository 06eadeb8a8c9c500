/**
 * Usage in the openai shape: cached tokens are part of the prompt, reasoning tokens part of the
 * completion.
 */
import type { Figures } from "../report-usage.ts";

export function usageBody(figures: Figures): unknown {
  const written = figures.cacheWrite5m + figures.cacheWrite1h;
  return {
    prompt_tokens: figures.prompt,
    completion_tokens: figures.completion,
    total_tokens: figures.total,
    prompt_tokens_details: {
      cached_tokens: figures.cached,
      audio_tokens: 0,
      ...(written === 0 ? {} : { cache_write_tokens: written }),
    },
    completion_tokens_details: {
      reasoning_tokens: figures.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
