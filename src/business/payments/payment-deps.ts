/** What the use cases of top-ups are made of, and the times that they keep. */
import type { Db } from "../../db/database.ts";
import type { Payment } from "./payments.store.ts";
import type { ReceiptRule } from "./receipt-rule.ts";
import type { PaymentProvider } from "../../upstreams/payments/payment-provider.ts";

/** Something that an operator has to look at. */
export type PaymentAlert =
  /** What the provider says is not what was asked for: nothing is credited. */
  | {
      readonly kind: "payment_mismatch";
      readonly paymentId: string;
      readonly accountId: string;
      readonly what: string;
    }
  /**
   * No customer can top up: the shop issues receipts, and the catalogue lacks what they are to say,
   * or says what the shop refuses.
   */
  | {
      readonly kind: "payment_receipt";
      readonly paymentId: string | null;
      readonly accountId: string;
      readonly what: string;
    }
  /**
   * Money went back to the payer that no operator refunded here; the balance does not follow by
   * itself.
   */
  | {
      readonly kind: "payment_refunded";
      readonly paymentId: string;
      readonly accountId: string;
      readonly amount: string;
    }
  /** A refund that an operator began was not made; its money is on the account again. */
  | {
      readonly kind: "refund_refused";
      readonly paymentId: string;
      readonly accountId: string;
      readonly what: string;
    };

export interface PaymentDeps {
  readonly db: Db;
  readonly provider: PaymentProvider;
  readonly receipts: ReceiptRule;
  /** Where the browser comes back to, of a payment. */
  returnUrl(paymentId: string): string;
  onAlert(alert: PaymentAlert): void;
  /** What a provider answered instead of an answer; for the log. */
  onTrouble(trouble: {
    readonly paymentId: string;
    readonly call: "create" | "read" | "create_refund" | "read_refund" | "search_refund";
    readonly reason: string;
  }): void;
  /** A payment came to an end here. */
  onEnd(end: {
    readonly paymentId: string;
    readonly state: "succeeded" | "canceled" | "failed";
    readonly reason: string | null;
  }): void;
  onRefundEnd(end: {
    readonly paymentId: string;
    readonly refundId: string;
    readonly state: "succeeded" | "canceled";
    readonly reason: string | null;
  }): void;
  readonly times?: PaymentTimes;
}

export interface PaymentTimes {
  /**
   * The process that asks about a payment is left alone with it for so long: longer than all its
   * calls may take.
   */
  readonly claimMs: number;
  /** When a payment that has not ended is asked about next. */
  nextReadMs(payment: Pick<Payment, "ageSeconds" | "reads">): number;
  /**
   * A payment or refund that the provider never confirmed is asked for again under its idempotence
   * key; not longer than the provider remembers that.
   */
  readonly createWithinSeconds: number;
  /** After that it is not waited for any more; a success still credits it. */
  readonly expireSeconds: number;
  /** And after that it is not asked about any more, unless the provider reports. */
  readonly forgetSeconds: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const PAYMENT_TIMES: PaymentTimes = {
  claimMs: MINUTE,
  nextReadMs({ ageSeconds }) {
    if (ageSeconds < 10 * 60) return 10 * SECOND;
    if (ageSeconds < 3600) return MINUTE;
    return ageSeconds < 24 * 3600 ? 10 * MINUTE : 6 * HOUR;
  },
  createWithinSeconds: 3600,
  expireSeconds: 24 * 3600,
  forgetSeconds: 7 * 24 * 3600,
};
