/**
 * What the finish reasons of this protocol's upstreams mean: OpenAI's words, and those that others
 * put in their place.
 */

/**
 * OpenRouter's and GigaChat's, DeepSeek's, vLLM's and Zhipu's words for an answer that failed
 * half-way: it has no end that could be translated.
 */
const FAILED: ReadonlySet<string> = new Set([
  "error",
  "insufficient_system_resource",
  "abort",
  "network_error",
]);

const ENDS: ReadonlyMap<string, "length" | "context-full" | "refusal"> = new Map([
  ["length", "length"],
  ["max_tokens", "length"],
  // Mistral's and Zhipu's words for a full context window.
  ["model_length", "context-full"],
  ["model_context_window_exceeded", "context-full"],
  ["content_filter", "refusal"],
  // Zhipu's and GigaChat's.
  ["sensitive", "refusal"],
  ["blacklist", "refusal"],
  // Gemini's own words, which its endpoints for this protocol pass on.
  ["safety", "refusal"],
  ["recitation", "refusal"],
  ["blocklist", "refusal"],
  ["prohibited_content", "refusal"],
  ["spii", "refusal"],
]);

export function isFailedFinish(reason: string): boolean {
  return FAILED.has(reason);
}

/**
 * An end that is more than the model's own; null for the rest, and for words that are not known. A
 * word may have its details after a colon.
 */
export function forcedEnd(reason: string): "length" | "context-full" | "refusal" | null {
  const [word = ""] = reason.toLowerCase().split(":", 1);
  return ENDS.get(word) ?? null;
}
