/**
 * What was earned: `GET operator/margin?from&to&by=day|model|upstream`, days of Moscow, both
 * included, 92 at most.
 */
import Type from "typebox";
import { MARGIN_GROUPINGS } from "../enums/spend-grouping.ts";
import { roubles } from "../money.ts";
import { nullableString } from "../nullable.ts";

export const MarginFigures = Type.Object({
  requests: Type.Integer({ description: "Requests and tasks that ended, charged or not." }),
  revenue: roubles("Charged; the ledger's own figure."),
  /** Null: of none of them the catalogue said it. */
  cost: nullableString({ description: "Roubles, of those whose cost is known." }),
  /** Served, with an unknown cost: neither zero nor in `cost`. */
  unknownCostRequests: Type.Integer(),
  unknownCostRevenue: roubles("What was charged for those."),
  /** Revenue of those with a known cost, less that cost; null where no cost is known. */
  margin: nullableString({ description: "Roubles." }),
  loss: roubles("Delivered and not charged."),
});
export type MarginFigures = Type.Static<typeof MarginFigures>;

export const MarginReport = Type.Object({
  from: Type.String({ description: "YYYY-MM-DD" }),
  to: Type.String({ description: "YYYY-MM-DD" }),
  by: Type.Enum([...MARGIN_GROUPINGS]),
  /** By the day, or by revenue, highest first. */
  rows: Type.Array(
    Type.Object({
      /**
       * The day, the model or the upstream; null: no upstream served it, or its receipt could not
       * be read.
       */
      name: nullableString({ description: "" }),
      ...MarginFigures.properties,
    }),
  ),
  total: MarginFigures,
});
export type MarginReport = Type.Static<typeof MarginReport>;
