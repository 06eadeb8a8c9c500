/** `GET /panel/api/requests/totals`: what the requests that a filter finds add up to. */
import Type from "typebox";
import { Currency, roubles } from "../money.ts";
import { nullableNumber } from "../nullable.ts";
import { PanelRequestQuery } from "./panel-request.ts";

const { cursor: _cursor, limit: _limit, order: _order, ...filters } = PanelRequestQuery.properties;

export const RequestTotalsQuery = Type.Object(filters);
export type RequestTotalsQuery = Type.Static<typeof RequestTotalsQuery>;

export const RequestTotals = Type.Object({
  currency: Currency,
  requests: Type.Integer({ description: "And tasks, that have ended." }),
  unfinished: Type.Integer({ description: "Tasks that have not; not among `requests`." }),
  errors: Type.Integer(),
  charged: roubles("What was taken."),
  inputTokens: Type.Integer({ description: "Cached ones included." }),
  cachedTokens: Type.Integer(),
  outputTokens: Type.Integer(),
  durationMs: nullableNumber({}, { description: "The mean, without tasks; null: not known." }),
  timeToFirstTokenMs: nullableNumber({}, { description: "The mean; null: not known." }),
  atLeast: Type.Boolean({
    description:
      "More may have ended at the edges of the time than is counted one by one, or, by cost or duration, than could be looked through in time.",
  }),
});
export type RequestTotals = Type.Static<typeof RequestTotals>;
