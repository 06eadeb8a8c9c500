/** `GET /v1/balance` (contract §6). */
import Type from "typebox";
import { Currency, roubles } from "./money.ts";

export const Balance = Type.Object(
  {
    balance: roubles("What the account owns, held money included.", "1000"),
    held: roubles("Reserved for requests that have not ended.", "12.5"),
    available: roubles("What a new request can use: balance less held.", "987.5"),
    currency: Currency,
  },
  { description: "The account's money, as the database has it at this moment." },
);
