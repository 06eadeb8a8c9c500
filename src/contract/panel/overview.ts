/** `GET /panel/api/overview`: an account at a glance. */
import Type from "typebox";
import { nullableInteger } from "../nullable.ts";
import { Currency, moment, roubles } from "../money.ts";
import { PanelKeyName, SpendRow, SpendSums } from "./spend.ts";

export const Overview = Type.Object({
  asOf: moment("When this was so."),
  currency: Currency,
  balance: roubles("What the account owns, held money included."),
  held: roubles("Of it, held for what runs now."),
  available: roubles("Of it, free."),
  blocked: Type.Boolean({
    description: "An operator has stopped the account: nothing new is admitted.",
  }),
  /** Days of Moscow; today counts into all three. */
  today: SpendSums,
  last7Days: SpendSums,
  last30Days: SpendSums,
  dailyMean: roubles("The mean of the last 7 full days."),
  runsOutInDays: nullableInteger(
    {},
    {
      description:
        "Full days that the balance lasts at dailyMean; null when nothing was spent in those days.",
    },
  ),
  /** 30 days, oldest first, today the last one. */
  byDay: Type.Array(SpendRow),
  /** Of the last 30 days, dearest first, at most five; without those that cost nothing. */
  topKeys: Type.Array(
    Type.Object({
      key: Type.Union([PanelKeyName, Type.Null()]),
      charged: roubles("What was taken."),
    }),
  ),
  topModels: Type.Array(Type.Object({ model: Type.String(), charged: roubles("What was taken.") })),
});
export type Overview = Type.Static<typeof Overview>;
