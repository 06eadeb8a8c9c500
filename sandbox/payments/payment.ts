/**
 * A payment of the sandbox's provider, as it is kept and as it is told: YooKassa's payment object.
 */
import type { Fault } from "./faults-by-amount.ts";

export interface Payment {
  readonly id: string;
  readonly value: string;
  readonly currency: string;
  readonly returnUrl: string;
  readonly locale: "ru" | "en";
  readonly description: string;
  readonly metadata: unknown;
  readonly method: string;
  readonly createdAt: string;
  readonly fault: Fault | null;
  status: "pending" | "succeeded" | "canceled";
  cancellation: { readonly party: string; readonly reason: string } | null;
  refundedValue: string;
  /** How often it was read so far. */
  reads: number;
}

export function paymentObject(payment: Payment, pageUrl: string): Record<string, unknown> {
  const {
    id,
    status,
    value,
    currency,
    description,
    metadata,
    createdAt,
    method,
    returnUrl,
    cancellation,
  } = payment;
  const paid = status === "succeeded";
  return {
    id,
    status,
    paid,
    amount: { value, currency },
    ...(paid
      ? { refunded_amount: { value: payment.refundedValue, currency }, captured_at: createdAt }
      : {}),
    ...(status === "pending"
      ? { confirmation: { type: "redirect", confirmation_url: pageUrl, return_url: returnUrl } }
      : {}),
    ...(cancellation === null ? {} : { cancellation_details: cancellation }),
    created_at: createdAt,
    description,
    metadata,
    payment_method: { type: method, id, saved: false },
    recipient: { account_id: "sandbox", gateway_id: "sandbox" },
    refundable: paid && payment.refundedValue !== value,
    test: true,
  };
}
