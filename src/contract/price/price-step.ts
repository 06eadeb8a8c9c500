/** One price that a new catalogue changes: from what, to what, and whether by much. */
import Type from "typebox";
import { roubles } from "../money.ts";
import { nullableString } from "../nullable.ts";
import { MarginLine, MarginRow } from "./margin.ts";

const { model, tier, variant } = MarginRow.properties;

export const PriceStep = Type.Object(
  {
    model,
    tier,
    variant,
    kind: MarginLine.properties.kind,
    before: roubles("What it costs by the catalogue in force."),
    after: roubles("What it would cost."),
    percent: nullableString({
      description: "Of `before`, to a tenth, with a minus where it falls; null: it cost nothing.",
    }),
    big: Type.Boolean({
      description:
        "By half or more, or from nothing: it is put in force only with `allowBigChange`.",
    }),
  },
  { description: "As it counts for requests: the price of a kind in a tier and variant." },
);
export type PriceStep = Type.Static<typeof PriceStep>;
