/** What a chat answer costs: exact integer arithmetic over its token usage, rounded up once, at the end (contract §6). */
import { assert } from "../kernel/assert.ts";
import type { Nano } from "../kernel/money.ts";
import { divideUp, maxNano, nano } from "../kernel/money.ts";
import type { TokenUsage } from "../kernel/token-usage.ts";
import { NO_USAGE } from "../kernel/token-usage.ts";
import type { ChatPrice } from "./catalogue.ts";

const PRICED_TOKENS = 1_000_000n;

/**
 * Prices a usage in nano-roubles. The counts are whole and not negative, and reasoning is part of the output (`TokenUsage`).
 * Throws InvariantError on a usage that breaks this, RangeError when the sum leaves the range of the ledger.
 */
export function priceChat(price: ChatPrice, usage: TokenUsage): Nano {
  const reasoning = count(usage.reasoningTokens);
  const answer = count(usage.outputTokens) - reasoning;
  assert(answer >= 0n, "reasoning tokens are part of the output tokens");
  const tokens =
    count(usage.inputTokens) * price.input +
    count(usage.cachedInputTokens) * price.cachedInput +
    count(usage.cacheWrite5mTokens) * price.cacheWrite5m +
    count(usage.cacheWrite1hTokens) * price.cacheWrite1h +
    answer * price.output +
    reasoning * price.reasoning;
  return nano(divideUp(tokens, PRICED_TOKENS) + count(usage.images) * price.image + price.request);
}

/**
 * The most that a usage of this many tokens can cost, whichever class its upstream counts them into: input may turn out plain, cached or
 * written to a cache, output plain or reasoned. What a hold must cover.
 */
export function priceChatAtMost(price: ChatPrice, bound: { inputTokens: number; outputTokens: number; images: number }): Nano {
  const inputs = [price.input, price.cachedInput, price.cacheWrite5m, price.cacheWrite1h];
  const dearest = { ...price, input: inputs.reduce(maxNano), output: maxNano(price.output, price.reasoning) };
  return priceChat(dearest, { ...NO_USAGE, ...bound });
}

function count(value: number): bigint {
  assert(Number.isSafeInteger(value) && value >= 0, "a usage count is a whole number that is not negative");
  return BigInt(value);
}
