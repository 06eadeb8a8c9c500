/**
 * What is left of a price when its upstream is paid, before a catalogue is put in force and after:
 * how that is written.
 */
import Type from "typebox";
import { REQUEST_KINDS } from "../enums/request-kind.ts";
import type { Nano } from "../../kernel/money.ts";
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
