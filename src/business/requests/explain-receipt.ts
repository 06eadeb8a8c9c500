/** The lines of a receipt, by the price list that it was priced by. */
import { decimalText, type Decimal } from "../../contract/price/decimal.ts";
import { inBatches } from "../../contract/price/call-price.ts";
import { storedCounts } from "../../contract/price/call-usage.ts";
import { explainChatPrice, type ExplainedPrice } from "../../contract/price/explain-price.ts";
import { explainCallPrice } from "../../contract/price/price-call.ts";
import type { LineUnit } from "../../contract/price/price-line.ts";
import { formatRoubles } from "../../kernel/money.ts";
import type { StoredReceipt } from "../../usage/receipt-row.ts";
import { readChargedParts } from "../../serving/money/charged-parts.ts";
import type { PriceHistory, PriceList } from "./price-history.ts";
import { storedUsage } from "./stored-usage.ts";

/** Null where nothing was charged, or where the list or the model in it is not known any more. */
export function explainReceipt(
  list: PriceList | null,
  { model, detail, chargedNano }: StoredReceipt,
): ExplainedPrice | null {
  const usage = storedUsage(detail["usage"]);
  const sold = list?.catalogue?.models.get(model);
  if (usage === null || chargedNano === 0n || sold === undefined || sold.type === "task")
    return null;
  if (sold.type !== "chat")
    return explainCallPrice(detail["batch"] === undefined ? sold.price : inBatches(sold.price), {
      tokens: usage,
      counts: storedCounts(detail["counts"]),
    });
  return explainChatPrice(sold, usage, readChargedParts(detail).use ?? null);
}

/** The price lists of these receipts, by version. */
export async function priceListsOf(
  prices: PriceHistory,
  rows: readonly StoredReceipt[],
): Promise<ReadonlyMap<number, PriceList>> {
  const lists = new Map<number, PriceList>();
  for (const { priceVersion } of rows) {
    if (priceVersion === null || lists.has(priceVersion)) continue;
    const list = await prices.find(priceVersion);
    if (list !== null) lists.set(priceVersion, list);
  }
  return lists;
}

export function listOf(
  lists: ReadonlyMap<number, PriceList>,
  { priceVersion }: StoredReceipt,
): PriceList | null {
  return lists.get(priceVersion ?? 0) ?? null;
}

/** Roubles, exact. */
export function lineViews(lines: ExplainedPrice["lines"]): LineView[] {
  return lines.map(({ what, quantity, unitNano, per, amount }) => ({
    what,
    quantity: decimalText(quantity),
    unitPrice: formatRoubles(unitNano),
    per,
    amount: roublesText(amount),
  }));
}

export interface LineView {
  what: string;
  quantity: string;
  unitPrice: string;
  per: LineUnit;
  amount: string;
}

export function multiplierViews(
  multipliers: ExplainedPrice["multipliers"],
): { by: string; when: Record<string, string> }[] {
  return multipliers.map(({ by, when }) => ({
    by: decimalText(by),
    when: Object.fromEntries(when),
  }));
}

/** `amount`: nano-roubles, with what is left of less than one. */
export function roublesText({ digits, scale }: Decimal): string {
  return decimalText({ digits, scale: scale + 9 });
}
