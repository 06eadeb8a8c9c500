/** `GET /panel/api/ledger/days`: the ledger folded by days of Moscow, the newest first. */
import Type from "typebox";
import { roubles } from "../money.ts";
import { nullableString } from "../nullable.ts";
import { DAY } from "./spend.ts";

export const LedgerDaysQuery = Type.Object({
  cursor: Type.Optional(
    Type.String({ pattern: DAY, description: "`nextCursor` of the page before." }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 92,
      default: 31,
      description: "Days that are looked at; those in which nothing moved are left out.",
    }),
  ),
  from: Type.Optional(Type.String({ pattern: DAY, description: "The first day." })),
  to: Type.Optional(Type.String({ pattern: DAY, description: "The last day, itself included." })),
});
export type LedgerDaysQuery = Type.Static<typeof LedgerDaysQuery>;

export const LedgerDay = Type.Object({
  day: Type.String({ description: "YYYY-MM-DD, of Moscow." }),
  opening: roubles("The balance before its first entry, held money included."),
  credited: roubles("What came in, less what an operator took back."),
  charged: roubles("What was spent."),
  closing: roubles("The balance at its end; of today, now."),
  requests: Type.Integer({ description: "And tasks, that ended on it." }),
});
export type LedgerDay = Type.Static<typeof LedgerDay>;

export const LedgerDayPage = Type.Object({
  data: Type.Array(LedgerDay),
  nextCursor: nullableString({ description: "Null: the last page." }),
  archivedThrough: nullableString({
    description:
      "Days up to this one are archived, and are told entry by entry only; null: none is.",
  }),
});
export type LedgerDayPage = Type.Static<typeof LedgerDayPage>;
