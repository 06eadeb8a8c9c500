/** What the provider is asked for a refund: the same each time, as its idempotence key demands. */
import type { PaymentReceipt, RefundWish } from "../../upstreams/payments/payment-provider.ts";
import { RECEIPT_ITEM } from "./payment-wish.ts";
import type { Refund } from "./refunds.store.ts";

/** Payers may read it in their bank's app. */
const DESCRIPTION = "Возврат пополнения баланса";

export function refundWishOf(refund: Refund, providerPaymentId: string): RefundWish {
  const { refundId, amountNano } = refund;
  return {
    refundId,
    providerPaymentId,
    amountNano,
    description: DESCRIPTION,
    receipt: receiptOf(refund),
  };
}

function receiptOf({ receipt, email }: Refund): PaymentReceipt | null {
  return receipt === null || email === null ? null : { ...receipt, email, item: RECEIPT_ITEM };
}
