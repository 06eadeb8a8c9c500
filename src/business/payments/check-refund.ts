/**
 * Asks the provider for a refund, or what became of it, and does what follows. Its money was taken
 * before; this alone gives it back.
 */
import { CURRENCY } from "../../contract/enums/currency.ts";
import { assert } from "../../kernel/assert.ts";
import { formatRoubles } from "../../kernel/money.ts";
import { adjust } from "../../ledger/transfers.store.ts";
import { returnReference } from "../../contract/enums/movement.ts";
import type { ProviderRefund } from "../../upstreams/payments/payment-provider.ts";
import { noteRefundRead } from "./due-refunds.store.ts";
import { PAYMENT_TIMES, type PaymentDeps } from "./payment-deps.ts";
import { findPayment, lockPayment, type Payment } from "./payments.store.ts";
import { refundWishOf } from "./refund-wish.ts";
import {
  findRefund,
  markRefundCanceled,
  markRefunded,
  noteRefundPending,
  type Refund,
  type RefundKey,
} from "./refunds.store.ts";

/** A payment that was refunded was paid, so its provider has a number of it. */
type Paid = Payment & { readonly providerPaymentId: string };

/** Where the provider speaks of something else than was asked for, until it is asked again. */
const MISMATCH_MS = 60 * 60_000;

/**
 * May be called by anybody, at any time, as often as one likes: under one idempotence key there is
 * one refund, what has ended stays ended, and what is given back is given back once.
 */
export async function checkRefund(
  deps: PaymentDeps,
  key: RefundKey,
  signal: AbortSignal,
): Promise<void> {
  const refund = await findRefund(deps.db, key);
  if (refund === null || refund.provider !== deps.provider.name || refund.endedAt !== null) return;
  const payment = await findPayment(deps.db, refund);
  assert(isPaid(payment), "only what was paid is refunded");
  const { providerRefundId } = refund;
  if (providerRefundId === null) return ask(deps, refund, payment, signal);
  const outcome = await deps.provider.readRefund(providerRefundId, signal);
  if (outcome.kind === "found") return follow(deps, refund, payment, outcome.refund);
  // It took it and does not know it: neither is given back here what may have been paid back there.
  const reason = outcome.kind === "missing" ? "it knows no such refund" : outcome.reason;
  return waitOn(deps, refund, { call: "read_refund", reason }, signal);
}

function isPaid(payment: Payment | null): payment is Paid {
  return payment !== null && payment.providerPaymentId !== null;
}

/** Whether the provider took it was never said, or it was not asked yet. */
async function ask(
  deps: PaymentDeps,
  refund: Refund,
  payment: Paid,
  signal: AbortSignal,
): Promise<void> {
  const { createWithinSeconds } = deps.times ?? PAYMENT_TIMES;
  const call = "create_refund";
  // A provider forgets its idempotence keys: asked for again after that, it would pay twice.
  if (refund.ageSeconds > createWithinSeconds)
    return searchOrReturn(deps, refund, payment, "no_answer", signal);
  const outcome = await deps.provider.createRefund(
    refundWishOf(refund, payment.providerPaymentId),
    signal,
  );
  if (outcome.kind === "created") return follow(deps, refund, payment, outcome.refund);
  if (outcome.kind === "unknown")
    return waitOn(deps, refund, { call, reason: outcome.reason }, signal);
  deps.onTrouble({ paymentId: payment.paymentId, call, reason: outcome.reason });
  return searchOrReturn(deps, refund, payment, "provider_refused", signal);
}

/** What was refused now may have been taken before, and its answer lost. */
async function searchOrReturn(
  deps: PaymentDeps,
  refund: Refund,
  payment: Paid,
  failure: string,
  signal: AbortSignal,
): Promise<void> {
  const { refundId } = refund;
  const { providerPaymentId } = payment;
  const outcome = await deps.provider.searchRefund({ refundId, providerPaymentId }, signal);
  if (outcome.kind === "found") return follow(deps, refund, payment, outcome.refund);
  if (outcome.kind === "missing")
    return giveBack(deps, refund, { failure, providerRefundId: null });
  return waitOn(deps, refund, { call: "search_refund", reason: outcome.reason }, signal);
}

/** What the provider says is followed only where it speaks of this very refund. */
async function follow(
  deps: PaymentDeps,
  refund: Refund,
  payment: Paid,
  reported: ProviderRefund,
): Promise<void> {
  const { accountId, paymentId } = refund;
  const what = mismatchOf(refund, payment, reported);
  if (what !== null) {
    deps.onAlert({ kind: "payment_mismatch", paymentId, accountId, what: `a refund: ${what}` });
    return noteRefundRead(deps.db, refund, MISMATCH_MS);
  }
  const { providerRefundId, cancellation } = reported;
  switch (reported.status) {
    case "succeeded":
      return succeed(deps, refund, providerRefundId);
    case "canceled":
      return giveBack(deps, refund, { failure: cancellation ?? "declined", providerRefundId });
    case "pending": {
      const { nextReadMs } = deps.times ?? PAYMENT_TIMES;
      return noteRefundPending(deps.db, refund, { providerRefundId, dueInMs: nextReadMs(refund) });
    }
  }
}

function mismatchOf(refund: Refund, payment: Paid, reported: ProviderRefund): string | null {
  const { providerRefundId, refundId, amountNano } = refund;
  if (providerRefundId !== null && reported.providerRefundId !== providerRefundId)
    return "another refund's id";
  if (reported.providerPaymentId !== payment.providerPaymentId) return "of another payment";
  if (reported.refundId !== null && reported.refundId !== refundId)
    return "it was made for something else";
  if (reported.currency !== CURRENCY) return "another currency";
  return reported.amountNano === amountNano
    ? null
    : `${formatRoubles(reported.amountNano)} instead of ${formatRoubles(amountNano)}`;
}

async function succeed(deps: PaymentDeps, refund: Refund, providerRefundId: string): Promise<void> {
  const ended = await deps.db.transaction(async (tx) => {
    await lockPayment(tx, refund);
    return markRefunded(tx, refund, providerRefundId);
  });
  const { paymentId, refundId } = refund;
  if (ended) deps.onRefundEnd({ paymentId, refundId, state: "succeeded", reason: null });
}

/** The end and the entry are one transaction, and the ledger takes a reference once. */
async function giveBack(
  deps: PaymentDeps,
  refund: Refund,
  { failure, providerRefundId }: { failure: string; providerRefundId: string | null },
): Promise<void> {
  const { accountId, paymentId, refundId, amountNano } = refund;
  const ended = await deps.db.transaction(async (tx) => {
    await lockPayment(tx, refund);
    const now = await findRefund(tx, refund);
    assert(now !== null, "refunds are never removed");
    if (now.endedAt !== null) return false;
    // Nothing is there now; but another one who took over from us may be asking for it.
    if (providerRefundId === null && now.dueAt?.getTime() !== refund.dueAt?.getTime()) return false;
    const verdict = await adjust(tx, {
      accountId,
      amountNano,
      reference: returnReference(refundId),
      creditClass: "paid",
      note: refund.reason,
    });
    assert(verdict.kind === "adjusted", "a refund that has not ended was not given back");
    await markRefundCanceled(tx, refund, { providerRefundId, failure, entryId: verdict.entryId });
    return true;
  });
  if (!ended) return;
  deps.onAlert({ kind: "refund_refused", paymentId, accountId, what: failure });
  deps.onRefundEnd({ paymentId, refundId, state: "canceled", reason: failure });
}

/** Nothing new, or nothing to be understood. */
async function waitOn(
  deps: PaymentDeps,
  refund: Refund,
  trouble: { readonly call: "create_refund" | "read_refund" | "search_refund"; reason: string },
  signal: AbortSignal,
): Promise<void> {
  if (!signal.aborted) deps.onTrouble({ paymentId: refund.paymentId, ...trouble });
  const { nextReadMs } = deps.times ?? PAYMENT_TIMES;
  await noteRefundRead(deps.db, refund, nextReadMs(refund));
}
