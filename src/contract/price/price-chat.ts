/**
 * What a chat answer costs, and what it can cost at most: exact integer arithmetic, rounded up
 * once, at the end (contract §6 and §12).
 */
import { assert } from "../../kernel/assert.ts";
import type { Nano } from "../../kernel/money.ts";
import { divideUp, maxNano, nano } from "../../kernel/money.ts";
import { promptTokensOf, type TokenUsage } from "../../kernel/token-usage.ts";
import type { AskedRaises } from "./asked-raises.ts";
import { isBatchVariant } from "./batch-variant.ts";
import { kindNano, type ChatPrice } from "./chat-price.ts";
import { type ChatRate, rateOf, type RateMultiplier, variantOf } from "./chat-rate.ts";
import type { ChatTariff, ChatTier, ChatUse, ChatVariant } from "./chat-tariff.ts";
import type { Decimal } from "./decimal.ts";
import { tokensByKind } from "./tokens-by-kind.ts";

const PRICED_TOKENS = 1_000_000n;

/**
 * Prices a usage in nano-roubles. The counts are whole and not negative, and reasoning is part of
 * the output (`TokenUsage`). `use` is null where tokens alone count. Throws InvariantError on a
 * usage that breaks this, RangeError when the sum leaves the range of the ledger.
 */
export function priceChat(tariff: ChatTariff, usage: TokenUsage, use: ChatUse | null = null): Nano {
  if (use === null && tariff.tiers === undefined)
    return inAll(
      tariff.price,
      divideUp(tokenSum(tariff.price, usage), PRICED_TOKENS),
      usage.images,
    );
  const price = priceAtRate(rateOf(tariff, promptTokensOf(usage), use?.variants ?? null), usage);
  return use === null ? price : nano(price + toolSum(tariff, use.tools));
}

/**
 * What tokens, images and requests come to, tools apart: of one request, or of many that have the
 * same rate, rounded up once.
 */
export function priceAtRate(
  { price, multipliers }: ChatRate,
  usage: TokenUsage,
  requests = 1n,
): Nano {
  return nano(
    multiplied(tokenSum(price, usage), multipliers) +
      count(usage.images) * price.image +
      requests * price.request,
  );
}

/** What the tokens come to, before it is divided by the number that a price is for. */
function tokenSum(price: ChatPrice, usage: TokenUsage): bigint {
  if (usage.media !== undefined) {
    let sum = 0n;
    for (const [kind, tokens] of tokensByKind(usage)) sum += count(tokens) * kindNano(price, kind);
    return sum;
  }
  const reasoning = count(usage.reasoningTokens);
  const answer = count(usage.outputTokens) - reasoning;
  assert(answer >= 0n, "reasoning tokens are part of the output tokens");
  return (
    count(usage.inputTokens) * price.input +
    count(usage.cachedInputTokens) * price.cachedInput +
    count(usage.cacheWrite5mTokens) * (price.cacheWrite5m ?? price.input) +
    count(usage.cacheWrite1hTokens) * (price.cacheWrite1h ?? price.input) +
    answer * price.output +
    reasoning * price.reasoning
  );
}

function multiplied(tokens: bigint, multipliers: readonly Pick<RateMultiplier, "by">[]): bigint {
  let product = tokens;
  let divisor = PRICED_TOKENS;
  for (const { by } of multipliers) {
    product *= by.digits;
    divisor *= 10n ** BigInt(by.scale);
  }
  return divideUp(product, divisor);
}

/** Of one request. */
export function toolSum({ surcharges }: ChatTariff, calls: ChatUse["tools"]): bigint {
  let sum = 0n;
  for (const [tool, made] of Object.entries(calls)) {
    const charge = surcharges?.tools.get(tool);
    if (charge !== undefined) sum += count(made) * charge.perCall + charge.perRequest;
  }
  return sum;
}

/** What is known of a usage before its upstream has counted it. */
export interface UsageBound {
  readonly inputTokens: number;
  readonly images: number;
  /**
   * The longest life of what may be written to a cache: what the caller did not ask to be kept for
   * an hour lives no longer than five minutes. `none`: nothing is written.
   */
  readonly cacheTtl: "none" | "5m" | "1h";
}

/**
 * The most that a usage of this many tokens can cost, whichever kind its upstream counts them into,
 * whether or not it serves the variants that were asked for, and in whichever tier its prompt ends
 * up. What a hold must cover. `asked` is null where the request asks for nothing but tokens.
 */
export function priceChatAtMost(
  tariff: ChatTariff,
  bound: UsageBound,
  outputTokens: number,
  asked: AskedRaises | null = null,
): Nano {
  const tokens = { input: count(bound.inputTokens), output: count(outputTokens) };
  if (asked === null && tariff.tiers === undefined) {
    return inAll(
      tariff.price,
      divideUp(dearestSum(tariff.price, bound, tokens, null), PRICED_TOKENS),
      bound.images,
    );
  }
  const dearest = pricesInReach(tariff, bound.inputTokens, asked).reduce(
    (most, price) => {
      const sum = dearestSum(price, bound, tokens, asked);
      const each = count(bound.images) * price.image + price.request;
      return { sum: sum > most.sum ? sum : most.sum, each: each > most.each ? each : most.each };
    },
    { sum: 0n, each: 0n },
  );
  const tools =
    asked === null
      ? 0n
      : asked.tools.reduce(
          (sum, tool) => sum + toolSum(tariff, { [tool.tool]: tool.mostCalls }),
          0n,
        );
  return nano(multiplied(dearest.sum, raisingMultipliers(tariff, asked)) + dearest.each + tools);
}

/** The dearest kind of each side, for all of its tokens. */
function dearestSum(
  price: ChatPrice,
  { images, cacheTtl }: UsageBound,
  tokens: { readonly input: bigint; readonly output: bigint },
  asked: AskedRaises | null,
): bigint {
  let input = maxNano(price.input, price.cachedInput);
  if (cacheTtl !== "none") input = maxNano(input, price.cacheWrite5m ?? price.input);
  if (cacheTtl === "1h") input = maxNano(input, price.cacheWrite1h ?? price.input);
  if (images > 0) input = maxNano(input, price.imageInput ?? price.input);
  let output = maxNano(price.output, price.reasoning);
  for (const kind of asked?.media ?? []) {
    if (kind === "audioInput") input = maxNano(input, kindNano(price, kind));
    else output = maxNano(output, kindNano(price, kind));
  }
  return tokens.input * input + tokens.output * output;
}

/** The base's and the asked variant's, with their tiers that so long a prompt can reach. */
function pricesInReach(
  tariff: ChatTariff,
  inputTokens: number,
  asked: AskedRaises | null,
): ChatPrice[] {
  const reached = (tiers: readonly ChatTier[] | undefined): ChatPrice[] =>
    (tiers ?? []).filter((tier) => inputTokens > tier.abovePromptTokens).map((tier) => tier.price);
  const own = askedVariants(tariff, asked).flatMap(({ variant, certain }) =>
    variant.kind === "price"
      ? [{ certain, prices: [variant.price, ...reached(variant.tiers)] }]
      : [],
  );
  const prices = own.flatMap((variant) => variant.prices);
  if (own.some(({ certain }) => certain)) return prices;
  return [tariff.price, ...reached(tariff.tiers), ...prices];
}

/** Those below one do not count where the upstream may serve the base instead. */
function raisingMultipliers(
  tariff: ChatTariff,
  asked: AskedRaises | null,
): { readonly by: Decimal }[] {
  return askedVariants(tariff, asked).flatMap(({ variant, certain }) =>
    variant.kind === "multiply" && (certain || variant.by.digits > 10n ** BigInt(variant.by.scale))
      ? [{ by: variant.by }]
      : [],
  );
}

interface PricedVariant {
  readonly variant: ChatVariant;
  /** It is charged whatever the answer says. */
  readonly certain: boolean;
}

function askedVariants(tariff: ChatTariff, asked: AskedRaises | null): PricedVariant[] {
  return (asked?.variants ?? []).flatMap(({ field, value }) => {
    const variant = variantOf(tariff, field, value);
    return variant === undefined ? [] : [{ variant, certain: isBatchVariant(field, value) }];
  });
}

function inAll(price: ChatPrice, tokens: bigint, images: number): Nano {
  return nano(tokens + count(images) * price.image + price.request);
}

function count(value: number): bigint {
  assert(
    Number.isSafeInteger(value) && value >= 0,
    "a usage count is a whole number that is not negative",
  );
  return BigInt(value);
}
