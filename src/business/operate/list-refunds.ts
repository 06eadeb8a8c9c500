/** The refunds of one payment, and what may still be refunded of it, for operators. */
import type { PaymentRefund, PaymentRefunds } from "../../contract/panel/operator-payments.ts";
import { assert } from "../../kernel/assert.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { formatRoubles, ZERO_NANO, type Nano } from "../../kernel/money.ts";
import type { Db } from "../../db/database.ts";
import { balance } from "../../ledger/accounts.store.ts";
import { creditByClass } from "../../ledger/credit-classes.store.ts";
import type { PaymentDeps } from "../payments/payment-deps.ts";
import { findAnyPayment, type Payment } from "../payments/payments.store.ts";
import { listRefunds, type Refund } from "../payments/refunds.store.ts";

/** Throws Fault("not_found"). */
export async function readRefunds(
  db: Db,
  payments: PaymentDeps | null,
  paymentId: Uuid,
): Promise<PaymentRefunds> {
  const payment = await findAnyPayment(db, paymentId);
  if (payment === null) throw new Fault("not_found");
  const [refunds, money, left] = await Promise.all([
    listRefunds(db, payment),
    balance(db, payment.accountId),
    creditByClass(db, payment.accountId),
  ]);
  assert(money !== null && left !== null, "an account that was topped up is there");
  return {
    available: payment.provider === payments?.provider.name,
    left: formatRoubles(refundableOf(payment)),
    balance: formatRoubles(money.balanceNano),
    held: formatRoubles(money.heldNano),
    paidLeft: formatRoubles(left.paid),
    data: refunds.map(refundView),
  };
}

/**
 * Of what was paid: less what was refunded here, begun refunds included, and elsewhere. A report
 * of the provider may be of both, before it is known of which.
 */
export function refundableOf({
  state,
  amountNano,
  refundsNano,
  refundedNano,
  refundedElsewhereNano,
}: Payment): Nano {
  if (state !== "succeeded") return ZERO_NANO;
  const known = refundsNano + refundedElsewhereNano;
  const gone = known > refundedNano ? known : refundedNano;
  return (amountNano > gone ? amountNano - gone : 0n) as Nano;
}

export function refundView(refund: Refund): PaymentRefund {
  return {
    refundId: refund.refundId,
    amount: formatRoubles(refund.amountNano),
    state: refund.state,
    reason: refund.reason,
    by: refund.actor,
    failure: refund.failure,
    providerRefundId: refund.providerRefundId,
    createdAt: refund.createdAt.toISOString(),
    endedAt: refund.endedAt?.toISOString() ?? null,
  };
}
