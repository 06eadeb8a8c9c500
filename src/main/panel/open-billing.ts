/** Top-ups: put together for the panel. */
import { CURRENCY } from "../../contract/enums/currency.ts";
import type { BillingUseCases } from "../../http/panel/billing-routes.ts";
import { PAYMENT_METHODS } from "../../contract/panel/top-up.ts";
import {
  beginTopUp,
  LEAST_TOP_UP_NANO,
  MOST_TOP_UP_NANO,
} from "../../business/payments/begin-top-up.ts";
import { hearNotification } from "../../business/payments/hear-notification.ts";
import { findTopUp, listTopUps } from "../../business/payments/list-top-ups.ts";
import type { PaymentDeps } from "../../business/payments/payment-deps.ts";
import { createTokenBucket } from "../../business/payments/token-bucket.ts";
import { readBalance } from "../../serving/money/read-balance.ts";
import { Fault } from "../../kernel/faults.ts";
import { formatRoubles } from "../../kernel/money.ts";
import { countBy } from "../count-by.ts";
import { openPayments, type PaymentParts } from "./open-payments.ts";
import type { PanelPart } from "./panel-deps.ts";

const SUGGESTED_AMOUNTS = ["500", "1000", "3000", "10000"];
/** All providers together send far fewer; what is not heard is found when its turn comes. */
const NOTIFICATIONS = { most: 500, perSecond: 100 };

export function openBilling(
  deps: PaymentParts,
  payments: PaymentDeps | null = openPayments(deps),
): PanelPart<BillingUseCases> {
  const { db, clock, metrics } = deps;
  const stopping = new AbortController();
  const bucket = createTokenBucket(clock, NOTIFICATIONS);
  const heard = countBy();
  metrics.watch({
    name: "payment_notifications",
    help: "What payment providers reported, by whether a payment was meant.",
    label: "outcome",
    read: () => heard.counts,
  });

  return {
    routeDeps: {
      async readBilling(accountId) {
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
      },
      beginTopUp(member, order) {
        if (payments === null)
          throw new Fault("permission_denied", {
            message: "Top-ups are not available here. Ask the operator.",
          });
        return beginTopUp(payments, member, order, stopping.signal);
      },
      listTopUps: (accountId, page) => listTopUps(db, accountId, page),
      findTopUp: (accountId, topUpId) => findTopUp(db, accountId, topUpId),
      async hearPayments(report) {
        if (!bucket.take()) {
          heard.add("too_many");
          return false;
        }
        heard.add(
          payments === null ? "unknown" : await hearNotification(db, payments.provider, report),
        );
        return true;
      },
    },
    close: async () => stopping.abort(),
  };
}
