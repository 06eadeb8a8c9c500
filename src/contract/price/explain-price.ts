/**
 * Says why something cost what it did: each line quantity × unit price, exactly, and the sum that
 * is rounded up once.
 */
import { divideUp, nano, type Nano } from "../../kernel/money.ts";
import { promptTokensOf, type TokenUsage } from "../../kernel/token-usage.ts";
import { kindNano } from "./chat-price.ts";
import { rateOf } from "./chat-rate.ts";
import type { ChatTariff, ChatUse } from "./chat-tariff.ts";
import { multiply, type Decimal } from "./decimal.ts";
import { exactNano, taskPriceParts } from "./price-task.ts";
import type { TaskPrice } from "./task-price.ts";
import type { LineUnit } from "./price-line.ts";
import { tokensByKind } from "./tokens-by-kind.ts";

export interface ExplainedLine {
  /** A kind of the price, `web_search.perCall` of a tool, or a task's unit. */
  readonly what: string;
  readonly quantity: Decimal;
  readonly unitNano: Nano;
  readonly per: LineUnit;
  /** In nano-roubles. */
  readonly amount: Decimal;
}

export interface ExplainedPrice {
  /** Without those that come to nothing. */
  readonly lines: readonly ExplainedLine[];
  /**
   * What lines were multiplied by, and for what: of a task all of them, for its parameters; of a
   * chat request those of tokens, for its variants.
   */
  readonly multipliers: readonly {
    readonly when: ReadonlyMap<string, string>;
    readonly by: Decimal;
  }[];
  /**
   * Of a chat request: the tier that counted, by the prompt tokens that it begins above; null below
   * all of them.
   */
  readonly tier: number | null;
  /** In nano-roubles, before it is rounded. */
  readonly exact: Decimal;
  readonly priceNano: Nano;
}

const MILLIONTH: Decimal = { digits: 1n, scale: 6 };

/** By the same rules as `priceChat`. */
export function explainChatPrice(
  tariff: ChatTariff,
  usage: TokenUsage,
  use: ChatUse | null = null,
): ExplainedPrice {
  const { price, tier, multipliers } = rateOf(tariff, promptTokensOf(usage), use?.variants ?? null);
  const tokens = tokensByKind(usage).map(([what, quantity]) =>
    tokenLine(what, quantity, kindNano(price, what)),
  );
  const others = [
    eachLine("image", usage.images, price.image),
    eachLine("request", 1, price.request),
    ...(use === null ? [] : toolLines(tariff, use.tools)),
  ];
  const sum = multipliers.reduce((total, { by }) => multiply(total, by), sumOf(tokens));
  const exact = add(sum, sumOf(others));
  return {
    lines: [...tokens, ...others].filter(({ amount }) => amount.digits > 0n),
    multipliers: multipliers.map(({ field, value, by }) => ({
      when: new Map([[field, value]]),
      by,
    })),
    tier: tier?.abovePromptTokens ?? null,
    exact,
    priceNano: roundUp(exact),
  };
}

export function tokenLine(what: string, count: number, unitNano: Nano): ExplainedLine {
  const quantity = { digits: BigInt(count), scale: 0 };
  const amount = multiply({ digits: quantity.digits * unitNano, scale: 0 }, MILLIONTH);
  return { what, quantity, unitNano, per: "1M tokens", amount };
}

export function eachLine(what: string, count: number, unitNano: Nano): ExplainedLine {
  const quantity = { digits: BigInt(count), scale: 0 };
  return {
    what,
    quantity,
    unitNano,
    per: "each",
    amount: { digits: quantity.digits * unitNano, scale: 0 },
  };
}

function toolLines({ surcharges }: ChatTariff, calls: ChatUse["tools"]): ExplainedLine[] {
  return Object.entries(calls).flatMap(([tool, made]) => {
    const charge = surcharges?.tools.get(tool);
    if (charge === undefined) return [];
    return [
      eachLine(`${tool}.perCall`, made, charge.perCall),
      eachLine(`${tool}.perRequest`, 1, charge.perRequest),
    ];
  });
}

export function sumOf(lines: readonly ExplainedLine[]): Decimal {
  return lines.reduce((sum, { amount }) => add(sum, amount), { digits: 0n, scale: 0 });
}

/** By the same rules as `priceTask`; null where that has no price. */
export function explainTaskPrice(
  price: TaskPrice,
  parameters: Readonly<Record<string, unknown>>,
): ExplainedPrice | null {
  const parts = taskPriceParts(price, parameters);
  if (parts.kind === "unpriced") return null;
  const { quantity, perUnitNano, multipliers } = parts;
  const amount = multiply(quantity, { digits: perUnitNano, scale: 0 });
  const exact = exactNano(parts);
  return {
    lines: [{ what: price.unit, quantity, unitNano: perUnitNano, per: "each", amount }],
    multipliers,
    tier: null,
    exact,
    priceNano: roundUp(exact),
  };
}

function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  const scaled = (decimal: Decimal): bigint =>
    decimal.digits * 10n ** BigInt(scale - decimal.scale);
  return { digits: scaled(a) + scaled(b), scale };
}

export function roundUp({ digits, scale }: Decimal): Nano {
  return nano(divideUp(digits, 10n ** BigInt(scale)));
}
