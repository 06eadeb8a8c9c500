/**
 * Asks payment providers about top-ups: those that were reported at once, all others from time to
 * time.
 */
import type { PaymentDeps } from "../../business/payments/payment-deps.ts";
import { createPaymentWork } from "../../business/payments/work-payments.ts";
import { countDue } from "../../business/payments/due-payments.store.ts";
import { every } from "../every.ts";
import { openPayments, type PaymentParts } from "./open-payments.ts";
import type { PanelWorkDeps } from "./panel-deps.ts";

/** A payer who is back before the report waits no longer than this. */
const TICK_MS = 700;
const COUNT_MS = 15_000;

/** To be stopped; what is under way is finished. */
export function workTopUps(
  deps: PaymentParts & Pick<PanelWorkDeps, "onError">,
  payments: PaymentDeps | null = openPayments(deps),
): { stop(): Promise<void> } {
  const { db, metrics, onError } = deps;
  if (payments === null) return { stop: async () => undefined };
  const work = createPaymentWork({ ...payments, onError });
  const ticking = every(
    TICK_MS,
    () => work.tick(),
    (error) => onError("payments could not be looked for", error),
  );
  let counts = { open: 0, late: 0 };
  const counting = every(
    COUNT_MS,
    async () => {
      counts = await countDue(db);
    },
    (error) => onError("payments could not be counted", error),
  );
  metrics.watch({
    name: "payments_open",
    help: "Payments that have not ended.",
    together: "max",
    read: () => counts.open,
  });
  metrics.watch({
    name: "payments_late",
    help: "Payments that should have been asked about a minute ago.",
    together: "max",
    read: () => counts.late,
  });
  return {
    async stop() {
      work.stop();
      await Promise.all([ticking.stop(), counting.stop()]);
    },
  };
}
