/** Top-ups: put together for the panel. */
import { NOTIFICATIONS } from "../../business/payments/hear-notification.ts";
import type { PaymentDeps } from "../../business/payments/payment-deps.ts";
import { createTokenBucket } from "../../business/payments/token-bucket.ts";
import type { BillingRouteDeps } from "../../http/panel/billing-routes.ts";
import { countBy } from "../../http/count-by.ts";
import { openPayments, type PaymentParts } from "./open-payments.ts";
import type { PanelPart } from "./panel-deps.ts";

export function openBilling(
  deps: PaymentParts,
  payments: PaymentDeps | null = openPayments(deps),
): PanelPart<BillingRouteDeps> {
  const { db, clock, metrics } = deps;
  const stopping = new AbortController();
  return {
    routeDeps: {
      db,
      payments,
      stopping: stopping.signal,
      bucket: createTokenBucket(clock, NOTIFICATIONS),
      onHeard: countBy(metrics, {
        name: "payment_notifications",
        help: "What payment providers reported, by whether a payment was meant.",
        label: "outcome",
      }),
    },
    close: async () => stopping.abort(),
  };
}
