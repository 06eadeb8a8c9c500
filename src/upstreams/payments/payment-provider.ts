/** The port to a provider of payments: what it is asked, and every outcome. */
import type { Language } from "../../contract/enums/language.ts";
import type { PaymentProviderName } from "../../contract/enums/payment-provider.ts";
import type { ReceiptTerms } from "../../contract/receipt-terms.ts";
import type { Nano } from "../../kernel/money.ts";

export interface PaymentWish {
  /**
   * Ours: the idempotence key, so that asking again makes no second payment; the provider keeps it
   * with the payment and tells it back.
   */
  readonly paymentId: string;
  readonly amountNano: Nano;
  readonly method: string;
  readonly locale: Language;
  /** Where the browser comes back to. */
  readonly returnUrl: string;
  /** What the payer reads on the page. */
  readonly description: string;
  /** The fiscal receipt that the shop issues for it; null: none. */
  readonly receipt: PaymentReceipt | null;
}

export interface PaymentReceipt extends ReceiptTerms {
  /** Of the payer: where the receipt goes. */
  readonly email: string;
  /** What was bought, as the receipt names it. */
  readonly item: string;
}

/**
 * What the provider says of one of its payments. All of it is to be compared with what is known
 * here.
 */
export interface ProviderPayment {
  readonly providerPaymentId: string;
  /** Null: it tells none. */
  readonly paymentId: string | null;
  readonly amountNano: Nano;
  readonly currency: string;
  /** `pending` also for a state that is not known here: it ends nothing. */
  readonly status: "pending" | "succeeded" | "canceled";
  readonly refundedNano: Nano;
  /** Why it was canceled, in the provider's words. */
  readonly cancellation: string | null;
  /** Where it is paid; null when there is no such page any more. */
  readonly confirmationUrl: string | null;
}

/**
 * `refused`: it did not take it, and never will; `fault` tells that it is for want of a receipt, or
 * for the one that was sent. `unknown`: whether it did is not known; asking again with the same id
 * is safe.
 */
export type CreateOutcome =
  | { readonly kind: "created"; readonly payment: ProviderPayment }
  | { readonly kind: "refused"; readonly reason: string; readonly fault?: "receipt" }
  | { readonly kind: "unknown"; readonly reason: string };

/** `unknown` also for an answer that cannot be understood. */
export type ReadOutcome =
  | { readonly kind: "found"; readonly payment: ProviderPayment }
  | { readonly kind: "missing" }
  | { readonly kind: "unknown"; readonly reason: string };

export interface RefundWish {
  /**
   * Ours: the idempotence key, so that asking again makes no second refund; the provider keeps it
   * with the refund and tells it back.
   */
  readonly refundId: string;
  /** Of the payment, at the provider. */
  readonly providerPaymentId: string;
  readonly amountNano: Nano;
  /** What the payer may read of it. */
  readonly description: string;
  /** The fiscal receipt that the shop issues for it; null: none. */
  readonly receipt: PaymentReceipt | null;
}

/** What the provider says of one of its refunds, to be compared with what is known here. */
export interface ProviderRefund {
  readonly providerRefundId: string;
  readonly providerPaymentId: string;
  /** Null: it tells none. */
  readonly refundId: string | null;
  readonly amountNano: Nano;
  readonly currency: string;
  /** `pending` also for a state that is not known here: it ends nothing. */
  readonly status: "pending" | "succeeded" | "canceled";
  /** Why it was canceled, in the provider's words. */
  readonly cancellation: string | null;
}

/**
 * `refused`: it did not take what it was asked for now. An earlier question may have been taken all
 * the same, so `searchRefund` is asked before any money is given back.
 */
export type RefundOutcome =
  | { readonly kind: "created"; readonly refund: ProviderRefund }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "unknown"; readonly reason: string };

/** `missing`: it was asked for all of them and has none such. */
export type ReadRefundOutcome =
  | { readonly kind: "found"; readonly refund: ProviderRefund }
  | { readonly kind: "missing" }
  | { readonly kind: "unknown"; readonly reason: string };

/** What a notification speaks of. It proves nothing. */
export interface PaymentHint {
  readonly providerPaymentId: string | null;
  readonly paymentId: string | null;
}

export interface PaymentProvider {
  /** As payments remember it, and as its notifications are addressed. */
  readonly name: PaymentProviderName;
  /** No real money. */
  readonly sandbox: boolean;
  /** Neither rejects, whatever is answered. */
  createPayment(wish: PaymentWish, signal: AbortSignal): Promise<CreateOutcome>;
  readPayment(providerPaymentId: string, signal: AbortSignal): Promise<ReadOutcome>;
  /** None of them rejects. */
  createRefund(wish: RefundWish, signal: AbortSignal): Promise<RefundOutcome>;
  readRefund(providerRefundId: string, signal: AbortSignal): Promise<ReadRefundOutcome>;
  /** By our id, among all refunds of the payment. */
  searchRefund(
    wanted: Pick<RefundWish, "refundId" | "providerPaymentId">,
    signal: AbortSignal,
  ): Promise<ReadRefundOutcome>;
  /** Null: it speaks of no payment. */
  readNotification(body: unknown): PaymentHint | null;
}
