/**
 * Refunds a payment, wholly or in part: its money is taken from what was paid and is not spent, and
 * only then is the provider asked to pay it back.
 */
import { sayFieldRefusal, sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { refundReference } from "../../contract/enums/movement.ts";
import type { PaymentRefund, RefundBody } from "../../contract/panel/operator-payments.ts";
import type { ReceiptTerms } from "../../contract/receipt-terms.ts";
import type { Tx } from "../../db/database.ts";
import { assert } from "../../kernel/assert.ts";
import { Fault } from "../../kernel/faults.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { formatRoubles, NANO_PER_ROUBLE, parseRoubles, type Nano } from "../../kernel/money.ts";
import { balance } from "../../ledger/accounts.store.ts";
import { withRoom } from "../../ledger/recall.ts";
import { adjust } from "../../ledger/transfers.store.ts";
import { readReference } from "../accounts/top-up.ts";
import { checkRefund } from "../payments/check-refund.ts";
import { PAYMENT_TIMES, type PaymentDeps } from "../payments/payment-deps.ts";
import { findAnyPayment, lockPayment, type Payment } from "../payments/payments.store.ts";
import {
  findRefund,
  findRefundByRef,
  insertRefund,
  type Refund,
} from "../payments/refunds.store.ts";
import { recordAction } from "./audit.store.ts";
import { actorOf, type Operator } from "./operator.ts";
import { refundableOf, refundView } from "./list-refunds.ts";

const KOPECK_NANO = NANO_PER_ROUBLE / 100n;

/**
 * Once for each `ref`. What the provider has not answered yet is in state `created` or `pending`,
 * and is asked about by any process that works. Throws Fault: `not_found`, `invalid_request`;
 * `conflict` where other refunds came between, where the payment is none that can be refunded here,
 * or where `ref` belongs to another; `insufficient_balance` where it is spent. Nothing moved then.
 */
export async function refundPayment(
  payments: PaymentDeps | null,
  operator: Operator,
  { paymentId, body }: { readonly paymentId: Uuid; readonly body: RefundBody },
  signal: AbortSignal,
): Promise<PaymentRefund> {
  if (payments === null) throw new Fault("conflict", sayRefusal("refund_impossible"));
  const { db } = payments;
  const payment = await findAnyPayment(db, paymentId);
  if (payment === null) throw new Fault("not_found");
  const begun = await withRoom(db, payment.accountId, () =>
    db.transaction((tx) => beginRefund(tx, payments, operator, payment, body)),
  );
  await checkRefund(payments, begun, signal);
  const now = await findRefund(db, begun);
  assert(now !== null, "refunds are never removed");
  return refundView(now);
}

/** The money, the row and what the log says are one transaction, under the payment's lock. */
async function beginRefund(
  tx: Tx,
  deps: PaymentDeps,
  operator: Operator,
  key: Payment,
  body: RefundBody,
): Promise<Pick<Refund, "accountId" | "refundId">> {
  const { accountId, paymentId } = key;
  const ref = readReference(body.ref);
  const amountNano = parseRoubles(body.amount);
  const payment = await lockPayment(tx, key);
  assert(payment !== null, "payments are never removed");
  const earlier = await findRefundByRef(tx, accountId, ref);
  if (earlier !== null) {
    if (earlier.paymentId === paymentId && earlier.amountNano === amountNano) return earlier;
    throw new Fault("conflict", { ...sayRefusal("reference_taken"), param: "ref" });
  }
  if (payment.state !== "succeeded" || payment.provider !== deps.provider.name)
    throw new Fault("conflict", sayRefusal("refund_impossible"));
  const left = refundableOf(payment);
  if (body.left !== formatRoubles(left))
    throw new Fault("conflict", sayRefusal("changed_meanwhile"));
  if (
    amountNano === null ||
    amountNano <= 0n ||
    amountNano > left ||
    amountNano % KOPECK_NANO !== 0n
  ) {
    const limit = formatRoubles(left);
    throw new Fault("invalid_request", sayFieldRefusal("amount", "refund_range", { limit }));
  }
  const refundId = newUuid();
  const before = await balance(tx, accountId);
  const entryId = await take(tx, { accountId, refundId, amountNano, reason: body.reason.trim() });
  const { actor, memberId } = actorOf(operator);
  await insertRefund(
    tx,
    {
      accountId,
      refundId,
      paymentId,
      ref,
      provider: payment.provider,
      amountNano,
      reason: body.reason.trim(),
      actor,
      email: payment.email,
      receipt: receiptOf(deps, payment),
      entryId,
    },
    (deps.times ?? PAYMENT_TIMES).claimMs,
  );
  const after = await balance(tx, accountId);
  await recordAction(tx, {
    memberId,
    actor,
    action: "payment.refund",
    accountId,
    subject: paymentId,
    reason: body.reason.trim(),
    before: before === null ? null : { balance: formatRoubles(before.balanceNano) },
    after: {
      ...(after === null ? {} : { balance: formatRoubles(after.balanceNano) }),
      amount: formatRoubles(amountNano),
      refundId,
    },
  });
  return { accountId, refundId };
}

async function take(
  tx: Tx,
  taken: {
    readonly accountId: Uuid;
    readonly refundId: Uuid;
    readonly amountNano: Nano;
    readonly reason: string;
  },
): Promise<Uuid> {
  const { accountId, refundId, amountNano, reason } = taken;
  const verdict = await adjust(tx, {
    accountId,
    amountNano: -amountNano as Nano,
    reference: refundReference(refundId),
    creditClass: "paid",
    note: reason,
  });
  if (verdict.kind === "insufficient-balance") {
    const available = formatRoubles(verdict.availableNano);
    throw new Fault("insufficient_balance", {
      ...sayRefusal("refund_spent", { available }),
      param: "amount",
    });
  }
  assert(verdict.kind === "adjusted", "its account is there, and a new refund has a new name");
  return verdict.entryId;
}

/** As that of the payment: what was bought is given back. Else by what is in force now. */
function receiptOf(
  { receipts }: PaymentDeps,
  { email, receipt }: Pick<Payment, "email" | "receipt">,
): ReceiptTerms | null {
  if (email === null || receipt !== null) return receipt;
  const need = receipts.now();
  return need.kind === "needed" ? need.terms : null;
}
