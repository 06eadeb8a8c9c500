/**
 * Hears what providers report of payments: whatever it says, all that it does is that the provider
 * is asked, sooner than it would be.
 */
import type { Db } from "../../db/database.ts";
import { isUuid } from "../../kernel/ids.ts";
import { wakePayment } from "./due-payments.store.ts";
import { wakeRefunds } from "./due-refunds.store.ts";
import type { PaymentDeps } from "./payment-deps.ts";
import type { PaymentProvider } from "../../upstreams/payments/payment-provider.ts";

/** All providers together send far fewer; what is not heard is found when its turn comes. */
export const NOTIFICATIONS = { most: 500, perSecond: 100 };

/** From a provider, by its name here. */
interface Report {
  readonly name: string;
  readonly body: Buffer;
}

export interface HearingDeps {
  readonly db: Db;
  readonly payments: PaymentDeps | null;
  readonly bucket: { take(): boolean };
  onHeard(outcome: "known" | "unknown" | "too_many"): void;
}

/** False: too many of them come, and this one was not heard. */
export async function hearNotification(
  { db, payments, bucket, onHeard }: HearingDeps,
  report: Report,
): Promise<boolean> {
  if (!bucket.take()) {
    onHeard("too_many");
    return false;
  }
  onHeard(payments === null ? "unknown" : await wake(db, payments.provider, report));
  return true;
}

async function wake(
  db: Db,
  provider: PaymentProvider,
  report: Report,
): Promise<"known" | "unknown"> {
  if (report.name !== provider.name) return "unknown";
  const hint = provider.readNotification(parsed(report.body));
  if (hint === null) return "unknown";
  const paymentId = hint.paymentId !== null && isUuid(hint.paymentId) ? hint.paymentId : null;
  const known = await wakePayment(db, {
    provider: provider.name,
    providerPaymentId: hint.providerPaymentId,
    paymentId,
  });
  if (known && hint.providerPaymentId !== null)
    await wakeRefunds(db, provider.name, hint.providerPaymentId);
  return known ? "known" : "unknown";
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8")) as unknown;
  } catch {
    return null;
  }
}
