/** An account's top-ups, as the panel shows them. */
import { CURRENCY } from "../../contract/enums/currency.ts";
import type { PaymentProviderName } from "../../contract/enums/payment-provider.ts";
import type { TopUp } from "../../contract/panel/top-up.ts";
import type { Db } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { isUuid } from "../../kernel/ids.ts";
import { formatRoubles } from "../../kernel/money.ts";
import { findPayment, listPayments, type Payment } from "./payments.store.ts";
import { readPage, type Page, type PageRequest } from "../../serving/read-page.ts";

/** The one whose money is not real. */
export const SANDBOX_PROVIDER = "sandbox" satisfies PaymentProviderName;

/** Throws Fault("invalid_request") on a limit or cursor that cannot be. */
export async function listTopUps(db: Db, accountId: Uuid, page: PageRequest): Promise<Page<TopUp>> {
  const { rows, next } = await readPage(
    page,
    (part) => listPayments(db, { ...part, accountId }),
    (payment) => payment.paymentId,
  );
  return { rows: rows.map(topUpView), next };
}

/** Null: there is no such top-up of this account. */
export async function findTopUp(db: Db, accountId: Uuid, topUpId: string): Promise<TopUp | null> {
  if (!isUuid(topUpId)) return null;
  const payment = await findPayment(db, { accountId, paymentId: topUpId });
  return payment === null ? null : topUpView(payment);
}

function topUpView(payment: Payment): TopUp {
  return {
    topUpId: payment.paymentId,
    state: payment.state,
    amount: formatRoubles(payment.amountNano),
    refunded: formatRoubles(payment.refundedNano),
    currency: CURRENCY,
    method: payment.method,
    sandbox: payment.provider === SANDBOX_PROVIDER,
    redirectUrl: payment.state === "pending" ? payment.redirectUrl : null,
    reason: payment.reason,
    createdBy: payment.email,
    createdAt: payment.createdAt.toISOString(),
    endedAt: payment.endedAt?.toISOString() ?? null,
  };
}
