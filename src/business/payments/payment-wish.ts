/** What the provider is asked for a payment: the same each time, as its idempotence key demands. */
import type { NewPayment } from "./payments.store.ts";
import type { PaymentWish } from "../../upstreams/payments/payment-provider.ts";

const DESCRIPTIONS = { ru: "Пополнение баланса", en: "Balance top-up" };

/** A fiscal receipt is in Russian, whatever language the payer reads. */
export const RECEIPT_ITEM = DESCRIPTIONS.ru;

export function wishOf({
  paymentId,
  amountNano,
  method,
  locale,
  returnUrl,
  receipt,
  email,
}: NewPayment): PaymentWish {
  const billed =
    receipt === null || email === null ? null : { ...receipt, email, item: RECEIPT_ITEM };
  return {
    paymentId,
    amountNano,
    method,
    locale,
    returnUrl,
    description: DESCRIPTIONS[locale],
    receipt: billed,
  };
}
