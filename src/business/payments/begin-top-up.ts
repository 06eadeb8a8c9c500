/** Begins a top-up: the payment is written, then the provider is asked for its page. */
import type { MemberCaller } from "../../accounts/member-caller.ts";
import type { ReceiptTerms } from "../../contract/receipt-terms.ts";
import { sayFieldRefusal, sayRefusal } from "../../contract/sentences/say-refusal.ts";
import type { TopUpBegun, TopUpOrder } from "../../contract/panel/top-up.ts";
import { Fault } from "../../kernel/faults.ts";
import { newUuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";
import { formatRoubles, nano, NANO_PER_ROUBLE, parseRoubles } from "../../kernel/money.ts";
import { recordAct } from "../account-log/account-actions.store.ts";
import {
  countOpenPayments,
  endUnpaid,
  findPayment,
  insertPayment,
  type NewPayment,
} from "./payments.store.ts";
import { follow } from "./check-payment.ts";
import { PAYMENT_TIMES, type PaymentDeps } from "./payment-deps.ts";
import { wishOf } from "./payment-wish.ts";
import { NO_RECEIPT, noteReceiptRefusal } from "./note-receipt-refusal.ts";

export const LEAST_TOP_UP_NANO = nano(10n * NANO_PER_ROUBLE);
export const MOST_TOP_UP_NANO = nano(1_000_000n * NANO_PER_ROUBLE);
const KOPECK_NANO = NANO_PER_ROUBLE / 100n;
/** A member with more unfinished ones is not paying. */
const MOST_OPEN = 20;
const TRIES = 2;

/**
 * Throws Fault("permission_denied") where nothing can be paid (null), Fault("invalid_request") on
 * the amount, Fault("top_ups_unavailable") for want of a receipt, Fault("upstream_error") when the
 * provider gives no page. Nothing is paid by then.
 */
export async function beginTopUp(
  deps: PaymentDeps | null,
  member: MemberCaller,
  order: TopUpOrder,
  signal: AbortSignal,
): Promise<TopUpBegun> {
  if (deps === null)
    throw new Fault("permission_denied", {
      message: "Top-ups are not available here. Ask the operator.",
    });
  const { accountId, memberId, email, language } = member;
  const amountNano = readAmount(order.amount);
  if ((await countOpenPayments(deps.db, accountId)) >= MOST_OPEN) {
    throw new Fault("rate_limit_exceeded", sayRefusal("top_ups_open"));
  }
  const receipt = receiptOf(deps, accountId);
  const paymentId = newUuid();
  const payment: NewPayment = {
    paymentId,
    accountId,
    memberId,
    email,
    provider: deps.provider.name,
    method: order.method,
    locale: language,
    amountNano,
    returnUrl: deps.returnUrl(paymentId),
    receipt,
  };
  await deps.db.transaction(async (tx) => {
    await insertPayment(tx, payment, (deps.times ?? PAYMENT_TIMES).claimMs);
    const about = { subjectId: paymentId, subject: null, before: null };
    const after = { amount: formatRoubles(amountNano), method: order.method };
    await recordAct(tx, member, { action: "top_up.begin", ...about, after });
  });
  return { topUpId: paymentId, redirectUrl: await openPage(deps, payment, signal) };
}

/**
 * Before the provider is asked for what it would refuse. The payer is the member, whose address was
 * confirmed before there was a session.
 */
function receiptOf(deps: PaymentDeps, accountId: string): ReceiptTerms | null {
  const need = deps.receipts.now();
  if (need.kind === "needed") return need.terms;
  if (need.kind === "none") return null;
  deps.onAlert({ kind: "payment_receipt", paymentId: null, accountId, what: NO_RECEIPT });
  throw new Fault("top_ups_unavailable");
}

/** If we die or give up here, any process that works asks again under the same idempotence key. */
async function openPage(
  deps: PaymentDeps,
  payment: NewPayment,
  signal: AbortSignal,
): Promise<string> {
  const { accountId, paymentId } = payment;
  for (let tried = 1; tried <= TRIES && !signal.aborted; tried += 1) {
    const outcome = await deps.provider.createPayment(wishOf(payment), signal);
    if (outcome.kind !== "created") {
      if (!signal.aborted) deps.onTrouble({ paymentId, call: "create", reason: outcome.reason });
      if (outcome.kind === "unknown") continue;
      const ended = await endUnpaid(deps.db, {
        accountId,
        paymentId,
        state: "failed",
        reason: "provider_refused",
        dueInMs: null,
      });
      if (ended) deps.onEnd({ paymentId, state: "failed", reason: "provider_refused" });
      if (outcome.fault !== "receipt") break;
      noteReceiptRefusal(deps, payment);
      throw new Fault("top_ups_unavailable");
    }
    const written = await findPayment(deps.db, payment);
    if (written !== null) await follow(deps, written, outcome.payment);
    const after = await findPayment(deps.db, payment);
    // Where it was paid in no time, or by a report that overtook this answer, its page is not
    // needed any more.
    if (after?.state === "succeeded") return after.redirectUrl ?? after.returnUrl;
    if (after?.state === "pending" && after.redirectUrl !== null) return after.redirectUrl;
    break;
  }
  throw new Fault("upstream_error", sayRefusal("payment_silent"));
}

function readAmount(text: string): Nano {
  const amountNano = parseRoubles(text);
  if (
    amountNano !== null &&
    amountNano >= LEAST_TOP_UP_NANO &&
    amountNano <= MOST_TOP_UP_NANO &&
    amountNano % KOPECK_NANO === 0n
  ) {
    return amountNano;
  }
  const [least, limit] = [formatRoubles(LEAST_TOP_UP_NANO), formatRoubles(MOST_TOP_UP_NANO)];
  throw new Fault("invalid_request", sayFieldRefusal("amount", "top_up_range", { least, limit }));
}
