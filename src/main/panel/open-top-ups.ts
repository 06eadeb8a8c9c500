/**
 * Top-ups: put together for the panel, and the work that asks payment providers about them, those
 * that were reported at once, all others from time to time.
 */
import { countDue } from "../../business/payments/due-payments.store.ts";
import { countOpenRefunds } from "../../business/payments/due-refunds.store.ts";
import { NOTIFICATIONS } from "../../business/payments/hear-notification.ts";
import type { PaymentDeps } from "../../business/payments/payment-deps.ts";
import { createTokenBucket } from "../../business/payments/token-bucket.ts";
import { createPaymentWork } from "../../business/payments/work-payments.ts";
import { countBy } from "../../http/count-by.ts";
import type { BillingRouteDeps } from "../../http/panel/billing-routes.ts";
import { repeat, type Repeater } from "../../process/repeat.ts";
import type { Parts } from "../parts.ts";
import type { PanelPart } from "./panel-parts.ts";

type TopUpParts = Pick<Parts, "db" | "clock" | "metrics" | "onError">;

/** A payer who is back before the report waits no longer than this. */
const TICK_MS = 700;
const COUNT_MS = 15_000;

export function openTopUps(
  { db, clock, metrics }: TopUpParts,
  payments: PaymentDeps | null,
): PanelPart<BillingRouteDeps> {
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

/** To be stopped; what is under way is finished. */
export function workTopUps(
  { db, metrics, onError }: TopUpParts,
  payments: PaymentDeps | null,
): Repeater {
  if (payments === null) return { stop: async () => undefined };
  const work = createPaymentWork({ ...payments, onError });
  let counts = { open: 0, late: 0, refunds: 0 };
  const repeater = repeat(onError, {
    "payments could not be looked for": [TICK_MS, () => work.tick()],
    "payments could not be counted": [
      COUNT_MS,
      async () => (counts = { ...(await countDue(db)), refunds: await countOpenRefunds(db) }),
    ],
  });
  metrics.watch({
    name: "payments_open",
    help: "Payments that have not ended.",
    together: "max",
    read: () => counts.open,
  });
  metrics.watch({
    name: "payments_late",
    help: "Payments and refunds that should have been asked about a minute ago.",
    together: "max",
    read: () => counts.late,
  });
  metrics.watch({
    name: "refunds_open",
    help: "Refunds of payments that have not ended.",
    together: "max",
    read: () => counts.refunds,
  });
  return {
    async stop() {
      work.stop();
      await repeater.stop();
    },
  };
}
