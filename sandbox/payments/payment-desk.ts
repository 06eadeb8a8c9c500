/**
 * The payments that the sandbox's provider knows, and what the payer, the shop and time do to them.
 */
import { randomUUID } from "node:crypto";
import type { JsonObject } from "../is-object.ts";
import { isObject } from "../is-object.ts";
import { faultOf } from "./faults-by-amount.ts";
import type { Payment } from "./payment.ts";

export interface PaymentDesk {
  /** The same key gives the same payment again; null: the body is no payment. */
  create(
    body: JsonObject,
    idempotenceKey: string,
  ): { readonly payment: Payment; readonly repeated: boolean } | null;
  find(id: string): Payment | null;
  /** False: it cannot be done to it any more. */
  act(payment: Payment, act: PaymentAct): boolean;
}

export const PAYMENT_ACTS = ["pay", "fail", "cancel"] as const;
export type PaymentAct = (typeof PAYMENT_ACTS)[number];

/** The oldest are forgotten. */
const MOST = 10_000;
const AMOUNT = /^\d{1,10}\.\d\d$/;

export function createPaymentDesk(now: () => Date): PaymentDesk {
  const payments = new Map<string, Payment>();
  const byKey = new Map<string, Payment>();

  return {
    create(body, idempotenceKey) {
      const known = byKey.get(idempotenceKey);
      if (known !== undefined) return { payment: known, repeated: true };
      const payment = readPayment(body, now());
      if (payment === null) return null;
      payments.set(payment.id, payment);
      byKey.set(idempotenceKey, payment);
      for (const map of [payments, byKey]) {
        const [oldest] = map.keys();
        if (map.size > MOST && oldest !== undefined) map.delete(oldest);
      }
      return { payment, repeated: false };
    },

    find: (id) => payments.get(id) ?? null,

    act(payment, act) {
      if (payment.status !== "pending") return false;
      payment.status = act === "pay" ? "succeeded" : "canceled";
      if (act === "fail")
        payment.cancellation = { party: "payment_network", reason: "insufficient_funds" };
      if (act === "cancel")
        payment.cancellation = { party: "merchant", reason: "canceled_by_merchant" };
      return true;
    },
  };
}

function readPayment(body: JsonObject, at: Date): Payment | null {
  const { amount, confirmation, payment_method_data: method, description, metadata } = body;
  if (!isObject(amount) || !isObject(confirmation) || confirmation["type"] !== "redirect")
    return null;
  const { value, currency } = amount;
  const { return_url: returnUrl, locale } = confirmation;
  if (typeof value !== "string" || !AMOUNT.test(value) || typeof currency !== "string") return null;
  if (typeof returnUrl !== "string" || !/^https?:$/.test(URL.parse(returnUrl)?.protocol ?? ""))
    return null;
  return {
    id: randomUUID(),
    value,
    currency,
    returnUrl,
    locale: locale === "ru_RU" ? "ru" : "en",
    description: typeof description === "string" ? description : "",
    metadata: isObject(metadata) ? metadata : {},
    method: isObject(method) && typeof method["type"] === "string" ? method["type"] : "bank_card",
    createdAt: at.toISOString(),
    fault: faultOf(value),
    status: "pending",
    cancellation: null,
    refundedValue: "0.00",
    reads: 0,
  };
}
