/**
 * A payment that the shop refused for its receipt, or for want of one: the operator is told what to
 * do, and the shop is not asked in vain again.
 */
import type { NewPayment } from "./payments.store.ts";
import type { PaymentDeps } from "./payment-deps.ts";

/** For the operator: what to do about it. */
export const NO_RECEIPT =
  "the shop issues receipts (54-FZ), and no entry of payments.receipts is in force: write one into the catalogue, as docs/catalogue.md says";

export function noteReceiptRefusal(
  deps: Pick<PaymentDeps, "receipts" | "onAlert">,
  { paymentId, accountId, receipt }: Pick<NewPayment, "paymentId" | "accountId" | "receipt">,
): void {
  if (receipt === null) deps.receipts.demanded();
  const what =
    receipt === null
      ? NO_RECEIPT
      : `the shop refuses receipts that say ${JSON.stringify(receipt)}: see payments.receipts of the catalogue`;
  deps.onAlert({ kind: "payment_receipt", paymentId, accountId, what });
}
