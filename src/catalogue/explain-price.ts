/** Says why something cost what it did: each line quantity × unit price, exactly, and the sum that is rounded up once. */
import { divideUp, nano, type Nano } from "../kernel/money.ts";
import type { TokenUsage } from "../kernel/token-usage.ts";
import type { ChatPrice, Decimal, TaskPrice } from "./catalogue.ts";
import { multiply } from "./decimal.ts";
import { exactNano, taskPriceParts } from "./task-price.ts";

export interface ExplainedLine {
  /** A field of the price, or a task's unit. */
  readonly what: string;
  readonly quantity: Decimal;
  readonly unitNano: Nano;
  readonly per: "1M tokens" | "each";
  /** In nano-roubles. */
  readonly amount: Decimal;
}

export interface ExplainedPrice {
  /** Without those that come to nothing. */
  readonly lines: readonly ExplainedLine[];
  /** Of a task: what the sum of the lines was multiplied by, and for which parameters. */
  readonly multipliers: readonly { readonly when: ReadonlyMap<string, string>; readonly by: Decimal }[];
  /** In nano-roubles, before it is rounded. */
  readonly exact: Decimal;
  readonly priceNano: Nano;
}

const MILLIONTH: Decimal = { digits: 1n, scale: 6 };

/** By the same rules as `priceChat`. */
export function explainChatPrice(price: ChatPrice, usage: TokenUsage): ExplainedPrice {
  const tokens = (what: keyof ChatPrice, count: number): ExplainedLine => {
    const quantity = { digits: BigInt(count), scale: 0 };
    return {
      what,
      quantity,
      unitNano: price[what],
      per: "1M tokens",
      amount: multiply({ digits: BigInt(count) * price[what], scale: 0 }, MILLIONTH),
    };
  };
  const each = (what: keyof ChatPrice, count: number): ExplainedLine => {
    const quantity = { digits: BigInt(count), scale: 0 };
    return { what, quantity, unitNano: price[what], per: "each", amount: { digits: BigInt(count) * price[what], scale: 0 } };
  };
  const lines = [
    tokens("input", usage.inputTokens),
    tokens("cachedInput", usage.cachedInputTokens),
    tokens("cacheWrite5m", usage.cacheWrite5mTokens),
    tokens("cacheWrite1h", usage.cacheWrite1hTokens),
    tokens("output", usage.outputTokens - usage.reasoningTokens),
    tokens("reasoning", usage.reasoningTokens),
    each("image", usage.images),
    each("request", 1),
  ].filter(({ amount }) => amount.digits > 0n);
  const exact = lines.reduce((sum, { amount }) => add(sum, amount), { digits: 0n, scale: 0 });
  return { lines, multipliers: [], exact, priceNano: roundUp(exact) };
}

/** By the same rules as `priceTask`; null where that has no price. */
export function explainTaskPrice(price: TaskPrice, parameters: Readonly<Record<string, unknown>>): ExplainedPrice | null {
  const parts = taskPriceParts(price, parameters);
  if (parts.kind === "unpriced") return null;
  const { quantity, perUnitNano, multipliers } = parts;
  const amount = multiply(quantity, { digits: perUnitNano, scale: 0 });
  const exact = exactNano(parts);
  return {
    lines: [{ what: price.unit, quantity, unitNano: perUnitNano, per: "each", amount }],
    multipliers,
    exact,
    priceNano: roundUp(exact),
  };
}

function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  const scaled = (decimal: Decimal): bigint => decimal.digits * 10n ** BigInt(scale - decimal.scale);
  return { digits: scaled(a) + scaled(b), scale };
}

function roundUp({ digits, scale }: Decimal): Nano {
  return nano(divideUp(digits, 10n ** BigInt(scale)));
}
