/** The top-ups of all accounts, as operators see them: `GET operator/payments`. */
import Type from "typebox";
import { TOP_UP_STATES } from "../enums/top-up-state.ts";
import { moment, roubles } from "../money.ts";
import { nullableString } from "../nullable.ts";

export const OperatorPayment = Type.Object({
  paymentId: Type.String(),
  accountId: Type.String(),
  accountName: nullableString({ description: "Null: there is no such account." }),
  state: Type.Enum([...TOP_UP_STATES]),
  amount: roubles("What is paid, and credited."),
  refunded: roubles("Given back by the provider. The balance does not follow by itself.", "0"),
  /** How it was begun. */
  method: Type.String(),
  provider: Type.String({ description: "`sandbox`: no real money." }),
  providerPaymentId: nullableString({
    description: "The provider's number; null: it was not told of it, or has not answered yet.",
  }),
  /** Why it was canceled or failed; null otherwise. */
  reason: nullableString({ description: "As of a top-up." }),
  createdBy: nullableString({ description: "E-mail of who began it; null: it is not kept." }),
  /** Of the ledger, where it was credited. */
  entryId: nullableString({ description: "Null: nothing was credited." }),
  createdAt: moment("When it was begun."),
  endedAt: nullableString({ description: "When it came to its end." }),
});
export type OperatorPayment = Type.Static<typeof OperatorPayment>;

/** `GET operator/payments?account&state&number&cursor&limit`: newest first. */
export const OperatorPaymentList = Type.Object({
  data: Type.Array(OperatorPayment),
  nextCursor: nullableString({ description: "" }),
});
export type OperatorPaymentList = Type.Static<typeof OperatorPaymentList>;

/** `GET operator/payments/totals?account&state`: what the payments of a filter add up to. */
export const OperatorPaymentTotals = Type.Object({
  payments: Type.Integer({ description: "However they ended." }),
  succeeded: Type.Integer(),
  credited: roubles("Of those that succeeded."),
  refunded: roubles("Given back by the provider. Balances do not follow by themselves.", "0"),
  open: roubles("Of those that are not over."),
  atLeast: Type.Boolean({
    description: "There may be more than are added up: these are the newest.",
  }),
});
export type OperatorPaymentTotals = Type.Static<typeof OperatorPaymentTotals>;
