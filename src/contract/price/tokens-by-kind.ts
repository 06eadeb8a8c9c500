/** Takes a usage apart into the kinds that have a price: every token once. */
import { assert } from "../../kernel/assert.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";
import type { TokenKind } from "./chat-price.ts";

/**
 * In the order of `TOKEN_KINDS`. Reasoning, audio and images are parts of the output; where they
 * are told to be more than all of it, the later ones give way.
 */
export function tokensByKind(usage: TokenUsage): (readonly [TokenKind, number])[] {
  const { outputTokens, reasoningTokens, media } = usage;
  assert(reasoningTokens <= outputTokens, "reasoning tokens are part of the output tokens");
  const audioOutput = Math.min(media?.audioOutput ?? 0, outputTokens - reasoningTokens);
  const imageOutput = Math.min(
    media?.imageOutput ?? 0,
    outputTokens - reasoningTokens - audioOutput,
  );
  return [
    ["input", usage.inputTokens],
    ["cachedInput", usage.cachedInputTokens],
    ["cacheWrite5m", usage.cacheWrite5mTokens],
    ["cacheWrite1h", usage.cacheWrite1hTokens],
    ["imageInput", media?.imageInput ?? 0],
    ["audioInput", media?.audioInput ?? 0],
    ["output", outputTokens - reasoningTokens - audioOutput - imageOutput],
    ["reasoning", reasoningTokens],
    ["audioOutput", audioOutput],
    ["imageOutput", imageOutput],
  ];
}
