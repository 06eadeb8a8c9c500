/**
 * Tells how long lives what an upstream says that it wrote to its cache, where only the request
 * tells it.
 */
import type { ChatEndpoint } from "../../contract/enums/chat-endpoint.ts";
import type { PriceRaise } from "../../kernel/price-raises.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";

/**
 * Whether what an upstream of the endpoint's own protocol tells of its cache says for how long it
 * was written.
 */
const TELLS_LIFE: Readonly<Record<ChatEndpoint, boolean>> = {
  "chat.completions": false,
  messages: true,
  responses: false,
};

/**
 * `1h` where a mark of the request asks for an hour: the answer does not tell which writes belong
 * to which mark, and nothing is sold below its price (contract §6). Null where the answer's own
 * word counts, or that of five minutes.
 */
export function lifeOfWrites(endpoint: ChatEndpoint, raises: readonly PriceRaise[]): "1h" | null {
  if (TELLS_LIFE[endpoint]) return null;
  return raises.some((raise) => raise.kind === "cacheWrite" && raise.life === "1h") ? "1h" : null;
}

/**
 * Chat Completions tell what was written, and mostly not for how long; then it is read as written
 * for five minutes.
 */
export function withAskedLife(usage: TokenUsage, life: "1h" | null): TokenUsage {
  if (life === null || usage.cacheWrite5mTokens === 0 || usage.cacheWrite1hTokens > 0) return usage;
  return { ...usage, cacheWrite5mTokens: 0, cacheWrite1hTokens: usage.cacheWrite5mTokens };
}
