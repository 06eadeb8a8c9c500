/**
 * What is left of a price when its upstream is paid, and how that is written: before a catalogue is
 * put in force and after.
 */
import Type from "typebox";
import { REQUEST_KINDS } from "../enums/request-kind.ts";
import { divideUp, formatRoubles, nano, type Nano } from "../../kernel/money.ts";
import { roubles } from "../money.ts";
import { nullableInteger, nullableString } from "../nullable.ts";

export const Margin = Type.Object(
  {
    price: roubles("What a customer pays."),
    cost: nullableString({
      description: "Roubles, of the dearest route whose cost is known; null: of none.",
    }),
    margin: nullableString({ description: "Roubles; null where the cost is not known." }),
    percent: nullableString({
      description:
        "Of the price, to a tenth; null where the cost is not known, or the price is nothing.",
    }),
  },
  { description: "For 1M tokens, or for one of what is counted apart." },
);
export type Margin = Type.Static<typeof Margin>;

export const MarginLine = Type.Object({
  /**
   * A kind of the price, `web_search.perCall` of a tool; of a task the values that decide, such as
   * `resolution=720p`.
   */
  kind: Type.String(),
  before: Type.Union([Margin, Type.Null()], { description: "Null: it was not sold." }),
  after: Type.Union([Margin, Type.Null()], { description: "Null: it is not sold any more." }),
  belowCost: Type.Boolean({ description: "It would be sold for less than it costs." }),
});
export type MarginLine = Type.Static<typeof MarginLine>;

export const MarginRow = Type.Object({
  model: Type.String(),
  type: Type.Enum([...REQUEST_KINDS]),
  tier: nullableInteger(
    {},
    { description: "Above so many prompt tokens; null: below all tiers, and tasks." },
  ),
  variant: nullableString({ description: "Such as `serviceTier: priority`; null: the base." }),
  lines: Type.Array(MarginLine),
  belowCost: Type.Boolean({ description: "One of its lines is." }),
});
export type MarginRow = Type.Static<typeof MarginRow>;

/** One price and what it costs, in nano-roubles. */
export interface PriceAndCost {
  readonly priceNano: Nano;
  /** Null: not known. */
  readonly costNano: Nano | null;
}

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

export function isBelowCost(sold: PriceAndCost | null): boolean {
  return sold !== null && sold.costNano !== null && sold.priceNano < sold.costNano;
}

/** In percent, never shown as more than it is: `-11.2` stands for -11.11…. */
function tenths(part: Nano, whole: Nano): string {
  const negative = part < 0n;
  const scaled = (negative ? -part : part) * 1_000n;
  const count = negative ? divideUp(scaled, whole) : scaled / whole;
  return `${negative && count > 0n ? "-" : ""}${count / 10n}.${count % 10n}`;
}
