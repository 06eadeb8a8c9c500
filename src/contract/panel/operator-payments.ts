/** The top-ups of all accounts, as operators see them: `GET operator/payments`. */
import Type from "typebox";
import { REFUND_STATES } from "../enums/refund-state.ts";
import { TOP_UP_STATES } from "../enums/top-up-state.ts";
import { moment, roubles } from "../money.ts";
import { nullableString } from "../nullable.ts";

export const OperatorPayment = Type.Object({
  paymentId: Type.String(),
  accountId: Type.String(),
  accountName: nullableString({ description: "Null: there is no such account." }),
  state: Type.Enum([...TOP_UP_STATES]),
  amount: roubles("What is paid, and credited."),
  refunded: roubles("Given back by the provider.", "0"),
  refundedElsewhere: roubles(
    "Of it, what no operator refunded here: the balance does not follow by itself.",
    "0",
  ),
  refundable: roubles("What may still be refunded of it.", "0"),
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
  refunded: roubles("Given back by the provider.", "0"),
  open: roubles("Of those that are not over."),
  atLeast: Type.Boolean({
    description: "There may be more than are added up: these are the newest.",
  }),
});
export type OperatorPaymentTotals = Type.Static<typeof OperatorPaymentTotals>;

export const PaymentRefund = Type.Object({
  refundId: Type.String(),
  amount: roubles("Taken from the balance when it was begun."),
  state: Type.Enum([...REFUND_STATES], {
    description:
      "`created`: the provider has not answered yet. `pending`: it works at it. `canceled`: it was not made, and its money is on the account again.",
  }),
  reason: Type.String({ description: "The operator's words; the account's members see them." }),
  by: Type.String({ description: "E-mail of the operator." }),
  /** `provider_refused`, `no_answer`, or in the provider's words. */
  failure: nullableString({ description: "Why it was not made; null otherwise." }),
  providerRefundId: nullableString({ description: "The provider's number; null: none yet." }),
  createdAt: moment("When it was begun."),
  endedAt: nullableString({ description: "When it came to its end." }),
});
export type PaymentRefund = Type.Static<typeof PaymentRefund>;

/** `GET operator/payments/{id}/refunds`: newest first. */
export const PaymentRefunds = Type.Object({
  available: Type.Boolean({
    description: "Whether it can be refunded here: its provider is the one that is configured.",
  }),
  left: roubles("What may still be refunded of it."),
  balance: roubles("Of its account, held money included."),
  held: roubles("Of it, held for what has not ended."),
  paidLeft: roubles("Of the balance, what was paid: no more is refunded, whatever was given."),
  data: Type.Array(PaymentRefund),
});
export type PaymentRefunds = Type.Static<typeof PaymentRefunds>;

/** `POST operator/payments/{id}/refunds`; its answer, a 201, is the refund. */
export const RefundBody = Type.Object(
  {
    amount: roubles("Above zero, kopecks at most."),
    left: roubles(
      "As it was read: 409 `changed_meanwhile` where it is another one by now, so that two operators do not refund twice.",
    ),
    reason: Type.String({ minLength: 1, maxLength: 500, pattern: "\\S" }),
    ref: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "Names this refund: the same one again changes nothing.",
    }),
  },
  { additionalProperties: false },
);
export type RefundBody = Type.Static<typeof RefundBody>;
