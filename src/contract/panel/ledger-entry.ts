/** `GET /panel/api/ledger`: the account's money, entry by entry, with the balance after each. */
import Type from "typebox";
import { CREDIT_CLASSES } from "../enums/credit-class.ts";
import { ENTRY_KINDS } from "../enums/entry-kind.ts";
import { REQUEST_KINDS } from "../enums/request-kind.ts";
import { moment, roubles } from "../money.ts";
import { nullableInteger, nullableString } from "../nullable.ts";
import { PanelKeyName } from "./spend.ts";

export const LedgerQuery = Type.Object({
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  from: Type.Optional(Type.String({ description: "ISO 8601; from this moment on." })),
  to: Type.Optional(Type.String({ description: "ISO 8601; before this moment." })),
  kind: Type.Optional(
    Type.Enum([...ENTRY_KINDS], { description: "Only these, whatever `holds` says." }),
  ),
  holds: Type.Optional(
    Type.Boolean({
      description:
        "Also what moved no money of the account: holds given back whole, our own losses.",
    }),
  ),
});
export type LedgerQuery = Type.Static<typeof LedgerQuery>;

export const LedgerEntry = Type.Object({
  entryId: Type.String(),
  at: moment("When."),
  kind: Type.Enum([...ENTRY_KINDS]),
  class: Type.Union([Type.Enum([...CREDIT_CLASSES]), Type.Null()], {
    description: "Of the credit, where money came from outside or was corrected.",
  }),
  change: roubles("What it did to the balance: above 0 for money in."),
  balanceAfter: roubles("The balance right after it, held money included."),
  held: Type.Union([roubles("Of a charge or release: what had been held."), Type.Null()]),
  released: Type.Union([roubles("Of it, what went back."), Type.Null()]),
  /**
   * What it was for: a link to the receipt of a request or a task; null for money in and
   * corrections.
   */
  request: Type.Union([
    Type.Object({ kind: Type.Enum([...REQUEST_KINDS]), id: Type.String() }),
    Type.Null(),
  ]),
  key: Type.Union([PanelKeyName, Type.Null()]),
  priceVersion: nullableInteger({}, { description: "Of the price list." }),
  reference: Type.String({ description: "Of a payment or correction: its own name." }),
  note: nullableString({ description: "Why, where somebody said it." }),
});
export type LedgerEntry = Type.Static<typeof LedgerEntry>;

export const LedgerPage = Type.Object({
  data: Type.Array(LedgerEntry),
  nextCursor: nullableString({ description: "Null: the last page." }),
});
export type LedgerPage = Type.Static<typeof LedgerPage>;
