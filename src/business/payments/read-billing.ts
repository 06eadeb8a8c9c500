/** What the panel's page of top-ups begins with: whether and how one can pay here, and the balance. */
import { CURRENCY } from "../../contract/enums/currency.ts";
import { PAYMENT_METHODS, type Billing } from "../../contract/panel/top-up.ts";
import type { Db } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { formatRoubles } from "../../kernel/money.ts";
import { readBalance } from "../../serving/money/read-balance.ts";
import { LEAST_TOP_UP_NANO, MOST_TOP_UP_NANO } from "./begin-top-up.ts";
import type { PaymentDeps } from "./payment-deps.ts";

const SUGGESTED_AMOUNTS = ["500", "1000", "3000", "10000"];

/** `payments` null: accounts cannot be topped up here but by the operator. */
export async function readBilling(
  db: Db,
  payments: PaymentDeps | null,
  accountId: Uuid,
): Promise<Billing> {
  const { balanceNano, heldNano } = await readBalance(db, accountId);
  return {
    available: payments !== null,
    sandbox: payments?.provider.sandbox ?? false,
    methods: payments === null ? [] : [...PAYMENT_METHODS],
    minAmount: formatRoubles(LEAST_TOP_UP_NANO),
    maxAmount: formatRoubles(MOST_TOP_UP_NANO),
    suggestedAmounts: SUGGESTED_AMOUNTS,
    balance: formatRoubles(balanceNano),
    held: formatRoubles(heldNano),
    currency: CURRENCY,
  };
}
