/** One price as it stands in the text of a catalogue, with what it leaves: a row of the table. */
import Type from "typebox";
import { roubles } from "../money.ts";
import { nullableString } from "../nullable.ts";
import { MarginLine, MarginRow } from "./margin.ts";

const { model, type, tier, variant } = MarginRow.properties;

export const PriceCell = Type.Object({
  model,
  type,
  tier,
  variant,
  kind: MarginLine.properties.kind,
  unit: nullableString({
    description: "What it is for: `second`, `image` …; null: 1M tokens, or what the kind says.",
  }),
  amount: roubles("As this text has it."),
  before: nullableString({
    description: "Roubles, by the catalogue in force; null: there it has no such price.",
  }),
  cost: nullableString({
    description:
      "Roubles, of the dearest route whose cost is known, for what this amount is paid for; null: of none.",
  }),
  from: Type.Integer({ description: "Where it stands in the text, in UTF-16 units, quotes too." }),
  to: Type.Integer({ description: "Where it ends." }),
  editable: Type.Boolean({
    description: "False: it is written once for several prices, and changed in the text alone.",
  }),
});
export type PriceCell = Type.Static<typeof PriceCell>;
