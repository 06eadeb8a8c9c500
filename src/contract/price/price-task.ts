/**
 * What a task costs: quantity × amount × multipliers of its declarative price, exactly, rounded up
 * once (contract §6).
 */
import type { Nano } from "../../kernel/money.ts";
import { divideUp, nano } from "../../kernel/money.ts";
import type { AmountTable, Multiplier, TaskPrice } from "./task-price.ts";
import type { Decimal } from "./decimal.ts";
import { multiply } from "./decimal.ts";

export type TaskQuote =
  | { readonly kind: "priced"; readonly amountNano: Nano }
  /**
   * The price says nothing about this value (or its absence): the task cannot be sold. Never a
   * price of zero.
   */
  | { readonly kind: "unpriced"; readonly parameter: string };

/** What a task's price is made of: quantity × amount × each of the multipliers. */
export interface TaskPriceParts {
  readonly kind: "parts";
  readonly quantity: Decimal;
  readonly perUnitNano: Nano;
  /** Those whose parameters are so. */
  readonly multipliers: readonly Multiplier[];
}

/** Defaults are already filled in. */
export function taskPriceParts(
  price: TaskPrice,
  parameters: Readonly<Record<string, unknown>>,
): TaskPriceParts | Extract<TaskQuote, { kind: "unpriced" }> {
  const quantity =
    price.quantity.kind === "number"
      ? price.quantity.value
      : readQuantity(parameters[price.quantity.parameter]);
  if (quantity === null)
    return {
      kind: "unpriced",
      parameter: price.quantity.kind === "parameter" ? price.quantity.parameter : "",
    };
  const perUnitNano = lookUpAmount(price.amount, parameters);
  if (typeof perUnitNano !== "bigint") return perUnitNano;
  const multipliers = price.multiply.filter(({ when }) =>
    [...when].every(([name, value]) => asText(parameters[name]) === value),
  );
  return { kind: "parts", quantity, perUnitNano, multipliers };
}

/**
 * Prices a task by its parameters, defaults already filled in. To settle by what was really made,
 * give the real value of the quantity's parameter instead of the asked one. Throws RangeError when
 * the amount leaves the range of the ledger.
 */
export function priceTask(
  price: TaskPrice,
  parameters: Readonly<Record<string, unknown>>,
): TaskQuote {
  const parts = taskPriceParts(price, parameters);
  if (parts.kind === "unpriced") return parts;
  const total = exactNano(parts);
  return { kind: "priced", amountNano: nano(divideUp(total.digits, 10n ** BigInt(total.scale))) };
}

/** In nano-roubles, before it is rounded. */
export function exactNano({ quantity, perUnitNano, multipliers }: TaskPriceParts): Decimal {
  return multipliers.reduce(
    (total, { by }) => multiply(total, by),
    multiply(quantity, { digits: perUnitNano, scale: 0 }),
  );
}

/** An amount, or the parameter whose value is not sold. */
export function lookUpAmount(
  table: AmountTable,
  parameters: Readonly<Record<string, unknown>>,
): Nano | Extract<TaskQuote, { kind: "unpriced" }> {
  if (table.kind === "amount") return table.perUnitNano;
  const value = asText(parameters[table.parameter]);
  const next = value === null ? undefined : table.values.get(value);
  return next === undefined
    ? { kind: "unpriced", parameter: table.parameter }
    : lookUpAmount(next, parameters);
}

/**
 * `5`, `7.5` and `"5"` are quantities; nothing else is. A double between 1 and 15 has up to sixteen
 * digits after the point, all of them counted.
 */
function readQuantity(value: unknown): Decimal | null {
  const match = /^(\d{1,9})(?:\.(\d{1,20}))?$/.exec(asText(value) ?? "");
  if (match === null) return null;
  const [, whole = "", fraction = ""] = match;
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

/**
 * A number's shortest decimal form is what its sender wrote, so the text is exact where the float
 * is not.
 */
function asText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}
