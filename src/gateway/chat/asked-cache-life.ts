/** Tells how long lives what an upstream says that it wrote to its cache, where only the request tells it. */
import type { PriceRaise } from "../../kernel/price-raises.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";

/** `1h` where every mark of the request asks for an hour; null where the answer's own word counts, or that of five minutes. */
export function lifeOfWrites(raises: readonly PriceRaise[]): "1h" | null {
  let life: "1h" | null = null;
  for (const raise of raises) {
    if (raise.kind !== "cacheWrite") continue;
    if (raise.life === "5m") return null;
    life = "1h";
  }
  return life;
}

/** Chat Completions tell what was written, and mostly not for how long; then it is read as written for five minutes. */
export function withAskedLife(usage: TokenUsage, life: "1h" | null): TokenUsage {
  if (life === null || usage.cacheWrite5mTokens === 0 || usage.cacheWrite1hTokens > 0) return usage;
  return { ...usage, cacheWrite5mTokens: 0, cacheWrite1hTokens: usage.cacheWrite5mTokens };
}
