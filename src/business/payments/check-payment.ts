/**
 * Asks the provider what became of a payment and does what follows; the only way by which a payment
 * is credited.
 */
import { CURRENCY } from "../../contract/enums/currency.ts";
import type { Db } from "../../db/database.ts";
import { assert } from "../../kernel/assert.ts";
import { formatRoubles } from "../../kernel/money.ts";
import { credit } from "../../ledger/transfers.store.ts";
import { noteRead } from "./due-payments.store.ts";
import {
  endUnpaid,
  findPayment,
  lockPayment,
  markSucceeded,
  notePending,
  noteRefunded,
  type Payment,
  type PaymentKey,
} from "./payments.store.ts";
import type { ProviderPayment } from "../../upstreams/payments/payment-provider.ts";
import { PAYMENT_TIMES, type PaymentDeps } from "./payment-deps.ts";
import { noteReceiptRefusal } from "./note-receipt-refusal.ts";
import { wishOf } from "./payment-wish.ts";

/**
 * May be called by anybody, at any time, as often as one likes: what has ended stays ended, and
 * what is credited is credited once.
 */
export async function checkPayment(
  deps: PaymentDeps,
  key: PaymentKey,
  signal: AbortSignal,
): Promise<void> {
  const payment = await findPayment(deps.db, key);
  if (payment === null || payment.provider !== deps.provider.name) return;
  if (payment.providerPaymentId === null) return askAgain(deps, payment, signal);
  const outcome = await deps.provider.readPayment(payment.providerPaymentId, signal);
  if (outcome.kind === "found") return follow(deps, payment, outcome.payment);
  const reason = outcome.kind === "missing" ? "it knows no such payment" : outcome.reason;
  if (!signal.aborted) deps.onTrouble({ paymentId: key.paymentId, call: "read", reason });
  return waitOn(deps, payment);
}

/**
 * Whether the provider took it was never said. Under the same idempotence key that makes no second
 * payment.
 */
async function askAgain(deps: PaymentDeps, payment: Payment, signal: AbortSignal): Promise<void> {
  const { paymentId, ageSeconds } = payment;
  const { createWithinSeconds } = deps.times ?? PAYMENT_TIMES;
  // The payer was never shown where to pay, so nothing can have been paid.
  if (ageSeconds > createWithinSeconds)
    return end(deps, payment, "failed", "provider_refused", null);
  const outcome = await deps.provider.createPayment(wishOf(payment), signal);
  if (outcome.kind === "created") return follow(deps, payment, outcome.payment);
  if (!signal.aborted) deps.onTrouble({ paymentId, call: "create", reason: outcome.reason });
  if (outcome.kind === "refused") {
    if (outcome.fault === "receipt") noteReceiptRefusal(deps, payment);
    return end(deps, payment, "failed", "provider_refused", null);
  }
  return waitOn(deps, payment);
}

/**
 * What the provider says is followed only where it speaks of this very payment, of its amount and
 * in roubles.
 */
export async function follow(
  deps: PaymentDeps,
  payment: Payment,
  reported: ProviderPayment,
): Promise<void> {
  const { paymentId, accountId } = payment;
  const what = mismatchOf(payment, reported);
  if (what !== null) {
    deps.onAlert({ kind: "payment_mismatch", paymentId, accountId, what });
    return payment.state === "succeeded"
      ? noteRead(deps.db, payment, null)
      : end(deps, payment, "failed", "mismatch", null);
  }
  const { providerPaymentId, confirmationUrl } = reported;
  switch (reported.status) {
    case "succeeded":
      return succeed(deps, payment, reported);
    case "canceled":
      if (payment.state === "succeeded") return noteRead(deps.db, payment, null);
      return end(deps, payment, "canceled", reasonOf(reported.cancellation), null);
    case "pending":
      if (payment.state === "created") {
        const { nextReadMs } = deps.times ?? PAYMENT_TIMES;
        return notePending(deps.db, {
          accountId,
          paymentId,
          providerPaymentId,
          redirectUrl: confirmationUrl,
          dueInMs: nextReadMs(payment),
        });
      }
      return waitOn(deps, payment);
  }
}

function mismatchOf(payment: Payment, reported: ProviderPayment): string | null {
  const { providerPaymentId, paymentId, amountNano } = payment;
  if (providerPaymentId !== null && reported.providerPaymentId !== providerPaymentId)
    return "another payment's id";
  if (reported.paymentId !== paymentId) return "it was made for something else";
  if (reported.currency !== CURRENCY) return "another currency";
  return reported.amountNano === amountNano
    ? null
    : `${formatRoubles(reported.amountNano)} instead of ${formatRoubles(amountNano)}`;
}

/**
 * The state and the credit are one transaction, and the ledger takes a reference once: there is no
 * way to be credited twice, or half.
 */
async function succeed(
  deps: PaymentDeps,
  payment: Payment,
  reported: ProviderPayment,
): Promise<void> {
  const { paymentId, accountId } = payment;
  const credited = await deps.db.transaction(async (tx) => {
    const locked = await lockPayment(tx, payment);
    assert(locked !== null, "payments are never removed");
    if (locked.state === "succeeded") return false;
    const { amountNano } = locked;
    await notePending(tx, {
      accountId,
      paymentId,
      providerPaymentId: reported.providerPaymentId,
      redirectUrl: null,
      dueInMs: 0,
    });
    const verdict = await credit(tx, {
      accountId,
      amountNano,
      reference: `payment:${paymentId}`,
      kind: "topup",
    });
    assert(verdict.kind !== "unknown-account", "accounts are never removed");
    const same =
      verdict.kind === "credited" ||
      (verdict.accountId === accountId && verdict.amountNano === amountNano);
    assert(same, "the reference of a payment belongs to it");
    await markSucceeded(tx, payment, verdict.entryId);
    return true;
  });
  if (credited) deps.onEnd({ paymentId, state: "succeeded", reason: null });
  else await noteRead(deps.db, payment, null);
  await followRefund(deps.db, deps, { paymentId, accountId }, reported);
}

async function followRefund(
  db: Db,
  deps: PaymentDeps,
  of: Pick<Payment, "paymentId" | "accountId">,
  reported: ProviderPayment,
): Promise<void> {
  if (reported.refundedNano === 0n) return;
  const moreNano = await noteRefunded(db, of, reported.refundedNano);
  if (moreNano > 0n)
    deps.onAlert({ kind: "payment_refunded", ...of, amount: formatRoubles(moreNano) });
}

/** Nothing new, or nothing to be understood. */
async function waitOn(deps: PaymentDeps, payment: Payment): Promise<void> {
  const { nextReadMs, expireSeconds, forgetSeconds } = deps.times ?? PAYMENT_TIMES;
  const { state, ageSeconds } = payment;
  const open = state === "created" || state === "pending";
  // It was paid, and only refunds are asked about: the provider reports them, and does so again
  // where we could not ask.
  if (state === "succeeded") return noteRead(deps.db, payment, null);
  const dueInMs = ageSeconds > forgetSeconds ? null : nextReadMs(payment);
  if (open && ageSeconds > expireSeconds) return end(deps, payment, "canceled", "expired", dueInMs);
  return noteRead(deps.db, payment, dueInMs);
}

async function end(
  deps: PaymentDeps,
  { accountId, paymentId }: Payment,
  state: "canceled" | "failed",
  reason: string,
  dueInMs: number | null,
): Promise<void> {
  if (await endUnpaid(deps.db, { accountId, paymentId, state, reason, dueInMs }))
    deps.onEnd({ paymentId, state, reason });
}

/** https://yookassa.ru/developers/payment-acceptance/after-the-payment/declined-payments */
function reasonOf(cancellation: string | null): string {
  if (cancellation === "expired_on_confirmation" || cancellation === "expired_on_capture")
    return "expired";
  return cancellation === "canceled_by_merchant" || cancellation === "canceled_by_payer"
    ? "canceled_by_payer"
    : "declined";
}
