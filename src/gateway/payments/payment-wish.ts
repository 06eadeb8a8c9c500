/** What the provider is asked for a payment: the same each time, as its idempotence key demands. */
import type { NewPayment } from "../../payments/payments.store.ts";
import type { PaymentWish } from "../../upstreams/payments/payment-provider.ts";

const DESCRIPTIONS = { ru: "Пополнение баланса", en: "Balance top-up" };

export function wishOf({ paymentId, amountNano, method, locale, returnUrl }: NewPayment): PaymentWish {
  return { paymentId, amountNano, method, locale, returnUrl, description: DESCRIPTIONS[locale] };
}
