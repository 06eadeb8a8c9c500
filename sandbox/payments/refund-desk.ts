/**
 * The refunds that the sandbox's provider knows. Which amounts make it misbehave, by their kopecks:
 * README.md has the table.
 */
import { randomUUID } from "node:crypto";
import type { JsonObject } from "../is-object.ts";
import { isObject } from "../is-object.ts";
import type { Payment } from "./payment.ts";

const FAULTS = {
  "31": "pending-then-succeeded",
  "32": "pending-then-canceled",
  "33": "canceled",
  "34": "refused",
  "35": "create-500",
  "36": "create-reset",
  "37": "create-garbage",
  "38": "create-hang",
  "39": "lost-and-then-refused",
} as const;
type RefundFault = (typeof FAULTS)[keyof typeof FAULTS];

export interface Refund {
  readonly id: string;
  readonly payment: Payment;
  readonly value: string;
  readonly description: string;
  readonly metadata: unknown;
  readonly createdAt: string;
  readonly fault: RefundFault | null;
  status: "pending" | "succeeded" | "canceled";
  /** How often it was read so far. */
  reads: number;
}

export interface RefundDesk {
  /** The same key gives the same refund again; null: more than is left of the payment, or no sum. */
  create(
    payment: Payment,
    body: JsonObject,
    idempotenceKey: string,
  ): { readonly refund: Refund; readonly repeated: boolean } | null;
  /** All that is left of it, as by the shop's people on the provider's own site. */
  refundRest(payment: Payment): Refund | null;
  find(id: string): Refund | null;
  /** Newest first. */
  ofPayment(paymentId: string): readonly Refund[];
  /** Brings one that waits to its end, where it has been read often enough. */
  age(refund: Refund): "succeeded" | null;
}

const AMOUNT = /^\d{1,10}\.\d\d$/;
/** The oldest are forgotten. */
const MOST = 10_000;
/** So often one that waits is read before it ends. */
const READS = 2;
const NO_KOPECKS = 0;

export function createRefundDesk(now: () => Date): RefundDesk {
  const refunds = new Map<string, Refund>();
  const byKey = new Map<string, Refund>();

  function leftOf(payment: Payment): number {
    const waiting = [...refunds.values()].filter(
      (one) => one.payment === payment && one.status === "pending",
    );
    const taken = waiting.reduce((sum, one) => sum + kopecksOf(one.value), NO_KOPECKS);
    return kopecksOf(payment.value) - kopecksOf(payment.refundedValue) - taken;
  }

  function add(
    payment: Payment,
    value: string,
    { body, fault }: { body: JsonObject; fault: RefundFault | null },
  ): Refund {
    const { description, metadata } = body;
    const refund: Refund = {
      id: randomUUID(),
      payment,
      value,
      description: typeof description === "string" ? description : "",
      metadata: isObject(metadata) ? metadata : {},
      createdAt: now().toISOString(),
      fault,
      status: "pending",
      reads: 0,
    };
    refunds.set(refund.id, refund);
    if (fault === "canceled") refund.status = "canceled";
    else if (fault !== "pending-then-succeeded" && fault !== "pending-then-canceled")
      succeed(refund);
    const [oldest] = refunds.keys();
    if (refunds.size > MOST && oldest !== undefined) refunds.delete(oldest);
    return refund;
  }

  return {
    create(payment, body, idempotenceKey) {
      const known = byKey.get(idempotenceKey);
      if (known !== undefined) return { refund: known, repeated: true };
      const { amount } = body;
      const value = isObject(amount) ? amount["value"] : null;
      if (typeof value !== "string" || !AMOUNT.test(value) || kopecksOf(value) === NO_KOPECKS)
        return null;
      if (payment.status !== "succeeded" || kopecksOf(value) > leftOf(payment)) return null;
      const refund = add(payment, value, { body, fault: faultOf(value) });
      byKey.set(idempotenceKey, refund);
      return { refund, repeated: false };
    },

    refundRest(payment) {
      const left = leftOf(payment);
      if (payment.status !== "succeeded" || left <= NO_KOPECKS) return null;
      return add(payment, valueOf(left), { body: {}, fault: null });
    },

    find: (id) => refunds.get(id) ?? null,
    ofPayment: (paymentId) =>
      [...refunds.values()].filter(({ payment }) => payment.id === paymentId).toReversed(),

    age(refund) {
      refund.reads += 1;
      if (refund.status !== "pending" || refund.reads < READS) return null;
      if (refund.fault === "pending-then-canceled") {
        refund.status = "canceled";
        return null;
      }
      succeed(refund);
      return "succeeded";
    },
  };
}

export function refundObject({
  id,
  payment,
  value,
  status,
  description,
  metadata,
  createdAt,
}: Refund): Record<string, unknown> {
  return {
    id,
    payment_id: payment.id,
    status,
    amount: { value, currency: payment.currency },
    created_at: createdAt,
    description,
    metadata,
    ...(status === "canceled"
      ? { cancellation_details: { party: "yoo_money", reason: "insufficient_funds" } }
      : {}),
  };
}

function succeed(refund: Refund): void {
  refund.status = "succeeded";
  const { payment, value } = refund;
  payment.refundedValue = valueOf(kopecksOf(payment.refundedValue) + kopecksOf(value));
}

function faultOf(value: string): RefundFault | null {
  const kopecks = value.slice(-2);
  return kopecks in FAULTS ? FAULTS[kopecks as keyof typeof FAULTS] : null;
}

function kopecksOf(value: string): number {
  return Number(value.replace(".", ""));
}

function valueOf(kopecks: number): string {
  const digits = String(kopecks).padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
