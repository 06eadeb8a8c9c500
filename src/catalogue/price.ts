/** What a chat answer costs: exact integer arithmetic over its token usage, rounded up once, at the end (contract §6). */
import { assert } from "../kernel/assert.ts";
import type { Nano } from "../kernel/money.ts";
import { divideUp, maxNano, nano } from "../kernel/money.ts";
import type { TokenUsage } from "../kernel/token-usage.ts";
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
  return inAll(price, tokens, usage.images);
}

/** What is known of a usage before its upstream has counted it. */
export interface UsageBound {
  readonly inputTokens: number;
  readonly images: number;
  /** The longest life of what may be written to a cache: what nobody asked to be kept for an hour lives no longer than five minutes. */
  readonly cacheTtl: "5m" | "1h";
}

/**
 * The most that a usage of this many tokens can cost, whichever class its upstream counts them into: input may turn out plain, cached or
 * written to a cache, output plain or reasoned. What a hold must cover.
 */
export function priceChatAtMost(price: ChatPrice, bound: UsageBound, outputTokens: number): Nano {
  const written = bound.cacheTtl === "1h" ? maxNano(price.cacheWrite5m, price.cacheWrite1h) : price.cacheWrite5m;
  const input = maxNano(maxNano(price.input, price.cachedInput), written);
  const output = maxNano(price.output, price.reasoning);
  return inAll(price, count(bound.inputTokens) * input + count(outputTokens) * output, bound.images);
}

/** `tokens`: what they come to, before they are divided by the number that a price is for. */
function inAll(price: ChatPrice, tokens: bigint, images: number): Nano {
  return nano(divideUp(tokens, PRICED_TOKENS) + count(images) * price.image + price.request);
}

function count(value: number): bigint {
  assert(Number.isSafeInteger(value) && value >= 0, "a usage count is a whole number that is not negative");
  return BigInt(value);
}
