/** Payments of all accounts for operators, in English. */
import type { OperatorPaymentsTexts } from "./operator-payments.ru.ts";

export const operatorPaymentsEn: OperatorPaymentsTexts = {
  title: "Payments",
  lead: "Top-ups of all accounts through the payment provider. What was credited by hand stands in the account's ledger.",
  caption: "Payments",
  number: "Number",
  numberHint: "the provider's or ours",
  state: "State",
  states: {
    created: "begins",
    pending: "waits for the payer",
    succeeded: "credited",
    canceled: "not paid",
    failed: "failed",
  },
  at: (zone) => `Begun, ${zone}`,
  account: "Account",
  by: "By",
  somebody: "a former member",
  method: "Method",
  methods: { bank_card: "card", sbp: "SBP" },
  sandbox: "test",
  providerNumber: "The provider's number",
  noNumber: "none yet",
  amount: "Amount",
  refunded: (amount) => `${amount} refunded`,
  refundedNote:
    "The provider paid it back. The balance does not follow by itself: correct it on the account's page.",
  reasons: {
    expired: "the time to pay is over",
    canceled_by_payer: "canceled by the payer",
    declined: "declined by the bank",
    provider_refused: "not taken by the provider",
    mismatch: "paid otherwise than begun",
  },
  mismatchNote:
    "The sum or its currency are not what was begun. Nothing was credited: compare with the provider's own pages.",
  emptyTitle: "There were no payments yet",
  emptyText: "Every top-up through the payment provider is shown here, and what became of it.",
  notFoundTitle: "No such payments",
  notFoundText: "Loosen the conditions or reset the filters.",
};
