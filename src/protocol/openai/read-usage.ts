/** The `usage` object of the OpenAI protocol, read into the neutral shape and back. */
import type { TokenUsage } from "../../kernel/token-usage.ts";

/**
 * `absent`: nothing was said (the field is missing or null). `valid`: believed as far as its own arithmetic goes; an explicit zero is
 * zero, not absent. `unbelievable`: present, but no count of tokens; `reason` is for the log.
 */
export type UsageReading =
  | { readonly kind: "absent" }
  | { readonly kind: "valid"; readonly usage: TokenUsage }
  | { readonly kind: "unbelievable"; readonly reason: string };

export function readUsage(raw: unknown): UsageReading {
  if (raw === undefined || raw === null) return { kind: "absent" };
  return { kind: "unbelievable", reason: "not written yet" };
}

/** The neutral shape as an OpenAI `usage` object, for answers that the gateway itself completes. */
export function renderUsage(usage: TokenUsage): Record<string, unknown> {
  const prompt = usage.inputTokens + usage.cachedInputTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: prompt + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedInputTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}
