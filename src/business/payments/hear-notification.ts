/**
 * Hears what providers report of payments: whatever it says, all that it does is that the provider
 * is asked, sooner than it would be.
 */
import type { Db } from "../../db/database.ts";
import { isUuid } from "../../kernel/ids.ts";
import { wakePayment } from "./due-payments.store.ts";
import type { PaymentProvider } from "../../upstreams/payments/payment-provider.ts";

export type Heard = "known" | "unknown";

export async function hearNotification(
  db: Db,
  provider: PaymentProvider,
  report: { name: string; body: Buffer },
): Promise<Heard> {
  if (report.name !== provider.name) return "unknown";
  const hint = provider.readNotification(parsed(report.body));
  if (hint === null) return "unknown";
  const paymentId = hint.paymentId !== null && isUuid(hint.paymentId) ? hint.paymentId : null;
  const known = await wakePayment(db, {
    provider: provider.name,
    providerPaymentId: hint.providerPaymentId,
    paymentId,
  });
  return known ? "known" : "unknown";
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8")) as unknown;
  } catch {
    return null;
  }
}
