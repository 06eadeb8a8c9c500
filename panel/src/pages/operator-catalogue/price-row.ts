/** A row of the table of prices: what its price is by now, how it changes, and what it leaves. */
import { changeOfAmounts, type ChangeOf } from "../../../../src/contract/price/change-of.ts";
import type { PriceCell } from "../../../../src/contract/price/price-cell.ts";
import { marginOfAmounts } from "../../../../src/contract/price/margin-of.ts";
import { isPrice, keyOf, type TypedPrices } from "./edit-prices.ts";

export interface PriceRow {
  readonly key: string;
  readonly cell: PriceCell;
  /** What the field holds: decimal roubles, or what cannot be read. */
  readonly value: string;
  /** It is no price: nothing is checked before it is one. */
  readonly unread: boolean;
  /** It is not what is in force. */
  readonly changed: boolean;
  /** Null: it does not change, is new, or cannot be read. */
  readonly change: ChangeOf | null;
  /** Of the price; null where it, or its cost, is not known. */
  readonly percent: string | null;
  readonly belowCost: boolean;
}

export function priceRows(prices: readonly PriceCell[], typed: TypedPrices): readonly PriceRow[] {
  return prices.map((cell) => {
    const key = keyOf(cell);
    const value = typed.get(key) ?? cell.amount;
    if (!isPrice(value))
      return {
        key,
        cell,
        value,
        unread: true,
        changed: true,
        change: null,
        percent: null,
        belowCost: false,
      };
    const { margin, percent } = marginOfAmounts({ price: value, cost: cell.cost });
    const change = cell.before === null ? null : changeOfAmounts(cell.before, value);
    return {
      key,
      cell,
      value,
      unread: false,
      changed: cell.before === null || change !== null,
      change,
      percent,
      belowCost: margin?.startsWith("-") === true,
    };
  });
}

export interface RowFilter {
  /** Of the model, its variant or what the price is for. */
  readonly text: string;
  readonly onlyChanged: boolean;
}

export function shownRows(rows: readonly PriceRow[], { text, onlyChanged }: RowFilter) {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter(({ cell: { model, variant, kind }, changed }) => {
    const named = `${model} ${variant ?? ""} ${kind}`.toLocaleLowerCase();
    return (changed || !onlyChanged) && words.every((word) => named.includes(word));
  });
}
