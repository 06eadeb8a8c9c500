/** What the top-ups of all accounts add up to, for operators. */
import type { OperatorPaymentTotals } from "../../contract/panel/operator-payments.ts";
import type { TopUp } from "../../contract/panel/top-up.ts";
import type { Queryable } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { formatRoubles } from "../../kernel/money.ts";
import { SUMMED_MAX, sumPayments } from "../payments/payment-totals.store.ts";

/** Null: of all. */
export interface PaymentFilter {
  readonly accountId: Uuid | null;
  readonly state: TopUp["state"] | null;
}

export async function sumAnyPayments(
  q: Queryable,
  filter: PaymentFilter,
): Promise<OperatorPaymentTotals> {
  const { payments, succeeded, creditedNano, refundedNano, openNano } = await sumPayments(
    q,
    filter,
  );
  return {
    payments: Number(payments),
    succeeded: Number(succeeded),
    credited: formatRoubles(creditedNano),
    refunded: formatRoubles(refundedNano),
    open: formatRoubles(openNano),
    atLeast: Number(payments) >= SUMMED_MAX,
  };
}
