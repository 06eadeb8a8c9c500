/**
 * Tells the shop what became of a payment: as often, as late and as wrongly as its amount asks for.
 */
import { setTimeout } from "node:timers/promises";
import type { Payment } from "./payment.ts";

const TIMEOUT_MS = 15_000;
/** Until it is answered with a 200. */
const RETRY_MS = [500, 2_000, 5_000];
const LATE_MS = 5_000;
const DUPLICATES = 5;

/**
 * Where a shop hears of its payments is a setting of the shop; this one's stands beside the page
 * that payers come back to.
 */
function notifyUrlOf(returnUrl: string): string {
  return returnUrl.replace(/\/panel\/billing(?:\?.*)?$/s, "/payments/notify/sandbox");
}

/** Never rejects. */
export async function notifyShop(
  payment: Payment,
  event: string,
  object: unknown,
  closing: AbortSignal,
): Promise<void> {
  const { fault } = payment;
  if (fault === "no-notification") return;
  if (fault === "late-notification")
    await setTimeout(LATE_MS, undefined, { signal: closing, ref: false }).catch(() => undefined);
  const url = notifyUrlOf(payment.returnUrl);
  const body = JSON.stringify({ type: "notification", event, object });
  const copies = fault === "duplicate-notifications" ? DUPLICATES : 1;
  await Promise.all(Array.from({ length: copies }, () => deliver(url, body, closing)));
}

async function deliver(url: string, body: string, closing: AbortSignal): Promise<void> {
  for (const waitMs of [0, ...RETRY_MS]) {
    await setTimeout(waitMs, undefined, { signal: closing, ref: false }).catch(() => undefined);
    if (closing.aborted) return;
    const signal = AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT_MS)]);
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      redirect: "manual",
      signal,
    }).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.status === 200) return;
  }
}
