/** The top-ups of all accounts through payment providers, for operators. */
import type {
  OperatorPayment,
  OperatorPaymentList,
} from "../../contract/panel/operator-payments.ts";
import type { TopUp } from "../../contract/panel/top-up.ts";
import type { Queryable } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { formatRoubles } from "../../kernel/money.ts";
import { readPage, type PageRequest } from "../../serving/read-page.ts";
import { findPaymentsByNumber, listAllPayments, type Payment } from "../payments/payments.store.ts";
import { accountNames } from "./find-accounts.store.ts";
import { refundableOf } from "./list-refunds.ts";

/** Null: of all. */
export interface PaymentQuery extends PageRequest {
  readonly accountId: Uuid | null;
  readonly state: TopUp["state"] | null;
  /** The provider's, or ours; it is looked for with the other two. */
  readonly number: string | null;
}

/** Newest first. Throws Fault("invalid_request") on a limit or cursor that cannot be. */
export async function listAnyPayments(
  q: Queryable,
  query: PaymentQuery,
): Promise<OperatorPaymentList> {
  const { accountId, state, number } = query;
  if (number !== null && number !== "") {
    const found = await findPaymentsByNumber(q, number);
    const fitting = found.filter(
      (payment) =>
        (accountId === null || payment.accountId === accountId) &&
        (state === null || payment.state === state),
    );
    return { data: await named(q, fitting), nextCursor: null };
  }
  const page = await readPage(
    query,
    (part) => listAllPayments(q, { accountId, state, ...part }),
    ({ paymentId }) => paymentId,
  );
  return { data: await named(q, page.rows), nextCursor: page.next };
}

async function named(q: Queryable, payments: readonly Payment[]): Promise<OperatorPayment[]> {
  const names = await accountNames(q, [...new Set(payments.map(({ accountId }) => accountId))]);
  return payments.map((payment) => ({
    paymentId: payment.paymentId,
    accountId: payment.accountId,
    accountName: names.get(payment.accountId) ?? null,
    state: payment.state,
    amount: formatRoubles(payment.amountNano),
    refunded: formatRoubles(payment.refundedNano),
    refundedElsewhere: formatRoubles(payment.refundedElsewhereNano),
    refundable: formatRoubles(refundableOf(payment)),
    method: payment.method,
    provider: payment.provider,
    providerPaymentId: payment.providerPaymentId,
    reason: payment.reason,
    createdBy: payment.email,
    entryId: payment.entryId,
    createdAt: payment.createdAt.toISOString(),
    endedAt: payment.endedAt?.toISOString() ?? null,
  }));
}
