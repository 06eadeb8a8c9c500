/** The provider of payments that is configured, and what its use cases are made of. */
import type { PaymentDeps } from "../../business/payments/payment-deps.ts";
import { createReceiptRule } from "../../business/payments/receipt-rule.ts";
import { SANDBOX_PROVIDER } from "../../business/payments/list-top-ups.ts";
import type { PaymentProvider } from "../../upstreams/payments/payment-provider.ts";
import { createYooKassa } from "../../upstreams/payments/yookassa.ts";
import { SANDBOX_PAYMENTS } from "../../config/environment.ts";
import type { Parts } from "../parts.ts";

/** Null: accounts cannot be topped up here but by the operator. */
export function openPayments(parts: Parts): PaymentDeps | null {
  const { db, clock, catalogue, log, metrics, baseUrl } = parts;
  const provider = chooseProvider(parts);
  if (provider === null) return null;
  return {
    db,
    provider,
    receipts: createReceiptRule({
      clock,
      list: () => catalogue.current().catalogue.receipts ?? [],
    }),
    returnUrl: (paymentId) => `${baseUrl()}/panel/billing?topUp=${paymentId}`,
    onAlert(alert) {
      metrics.suspicious(alert.kind);
      log.error(alert, "a payment needs to be looked at");
    },
    onTrouble: (trouble) => log.warn(trouble, "the payment provider gave no answer that counts"),
    onEnd: (end) => log.info(end, "a payment has ended"),
    onRefundEnd: (end) => log.info(end, "a refund has ended"),
  };
}

function chooseProvider({ config, env, outgoing }: Parts): PaymentProvider | null {
  const { payments } = config;
  if (payments !== null)
    return createYooKassa({ ...payments, outgoing, name: "yookassa", sandbox: false });
  // Only the process that runs the sandbox sets it, and in production no account is credited for
  // money that is not there.
  const url = env[SANDBOX_PAYMENTS] ?? "";
  if (url === "" || config.production) return null;
  return createYooKassa({
    outgoing,
    name: SANDBOX_PROVIDER,
    sandbox: true,
    baseUrl: url,
    shopId: "sandbox",
    secretKey: "sandbox",
  });
}
