/**
 * Prices that are edited in a table, and the text of the catalogue with them in it: only the amounts
 * are written anew, each in its own place and in its own quotes.
 */
import type { PriceCell } from "../../../../src/contract/price/price-cell.ts";
import { compareDecimals } from "../../ui/decimal.ts";

/** By `keyOf`: decimal roubles, or what a field holds that cannot be read. */
export type TypedPrices = ReadonlyMap<string, string>;

/** The catalogue takes no more, for anything. */
const HIGHEST_PRICE = "10000000";

export function keyOf({ model, tier, variant, kind }: PriceCell): string {
  return [model, tier, variant, kind].join("\n");
}

export function isPrice(text: string): boolean {
  return /^\d{1,8}(?:\.\d{1,9})?$/.test(text) && compareDecimals(text, HIGHEST_PRICE) <= 0;
}

/** `prices` are those of `source`; what cannot be read leaves its price as it was. */
export function withPrices(
  source: string,
  prices: readonly PriceCell[],
  typed: TypedPrices,
): string {
  const edits = prices.flatMap((cell) => {
    const amount = typed.get(keyOf(cell));
    if (amount === undefined || !cell.editable || !isPrice(amount)) return [];
    return compareDecimals(amount, cell.amount) === 0 ? [] : [{ ...cell, amount }];
  });
  // From the end on: what comes before keeps its place.
  return edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((text, { from, to, amount }) => {
      const quote = /^["']/.exec(text.slice(from, to))?.[0] ?? "";
      return `${text.slice(0, from)}${quote}${amount}${quote}${text.slice(to)}`;
    }, source);
}
