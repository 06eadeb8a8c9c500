/** What is left of a price when its upstream is paid: counted alike by the server and the pages. */
import { assert } from "../../kernel/assert.ts";
import { divideUp, formatRoubles, nano, parseRoubles, type Nano } from "../../kernel/money.ts";
import type { Margin, PriceAndCost } from "./margin.ts";

export function marginOf({ priceNano, costNano }: PriceAndCost): Margin {
  const price = formatRoubles(priceNano);
  if (costNano === null) return { price, cost: null, margin: null, percent: null };
  const left = nano(priceNano - costNano);
  return {
    price,
    cost: formatRoubles(costNano),
    margin: formatRoubles(left),
    percent: priceNano === 0n ? null : tenths(left, priceNano),
  };
}

/** The same of decimal roubles; throws InvariantError where they are none. */
export function marginOfAmounts({ price, cost }: Pick<Margin, "price" | "cost">): Margin {
  return marginOf({
    priceNano: amountOf(price),
    costNano: cost === null ? null : amountOf(cost),
  });
}

export function isBelowCost(sold: PriceAndCost | null): boolean {
  return sold !== null && sold.costNano !== null && sold.priceNano < sold.costNano;
}

function amountOf(text: string): Nano {
  const amount = parseRoubles(text);
  assert(amount !== null, "an amount is a decimal of roubles");
  return amount;
}

/** In percent, never shown as more than it is: `-11.2` stands for -11.11…. */
function tenths(part: Nano, whole: Nano): string {
  const negative = part < 0n;
  const scaled = (negative ? -part : part) * 1_000n;
  const count = negative ? divideUp(scaled, whole) : scaled / whole;
  return `${negative && count > 0n ? "-" : ""}${count / 10n}.${count % 10n}`;
}
