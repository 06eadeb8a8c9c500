/** `GET /panel/api/ledger/turnover`: what the account's entries of a time add up to. */
import Type from "typebox";
import { Currency, roubles } from "../money.ts";
import { LedgerQuery } from "./ledger-entry.ts";

export const TurnoverQuery = Type.Object({
  from: LedgerQuery.properties.from,
  to: LedgerQuery.properties.to,
});

export const LedgerTurnover = Type.Object({
  opening: roubles("The balance at the beginning, held money included."),
  toppedUp: roubles("What came in."),
  adjusted: roubles("What the operator gave or took; below 0 where more was taken."),
  charged: roubles("What was spent."),
  closing: roubles("The balance at the end."),
  currency: Currency,
});
export type LedgerTurnover = Type.Static<typeof LedgerTurnover>;
