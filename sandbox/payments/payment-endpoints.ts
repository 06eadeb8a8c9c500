/**
 * The provider of payments: what YooKassa offers of its API, the page that payers are sent to, and
 * every fault that an amount asks for.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { Endpoint } from "../endpoint.ts";
import { readBody } from "../read-body.ts";
import { notifyShop } from "./notify-shop.ts";
import { createPaymentDesk, PAYMENT_ACTS, type PaymentAct } from "./payment-desk.ts";
import { paymentPage } from "./payment-page.ts";
import { paymentObject, type Payment } from "./payment.ts";
import { receiptFault } from "./receipt-fault.ts";
import { createRefundDesk, refundObject, type Refund } from "./refund-desk.ts";
import { refundEndpoints } from "./refund-endpoints.ts";
import {
  answer,
  demandsReceipts,
  forShops,
  garbage,
  refuse,
  refuseReceipt,
  spoilCreation,
} from "./shop-answers.ts";

export interface PaymentSide {
  readonly endpoints: readonly Endpoint[];
  close(): void;
}

const EVENTS: Readonly<Record<PaymentAct, string>> = {
  pay: "payment.succeeded",
  fail: "payment.canceled",
  cancel: "payment.canceled",
};
/** So often a payment whose reading fails is read in vain. */
const FAILED_READS = 3;

export function createPaymentSide(): PaymentSide {
  const desk = createPaymentDesk(() => new Date());
  const refunds = createRefundDesk(() => new Date());
  const closing = new AbortController();

  function objectOf(payment: Payment, req: IncomingMessage): Record<string, unknown> {
    return paymentObject(
      payment,
      `http://${req.headers.host ?? "127.0.0.1"}/payments/page/${payment.id}`,
    );
  }

  function tell(payment: Payment, act: PaymentAct, req: IncomingMessage): Promise<void> {
    return notifyShop(payment, EVENTS[act], objectOf(payment, req), closing.signal);
  }

  function tellRefund(refund: Refund): Promise<void> {
    return notifyShop(refund.payment, "refund.succeeded", refundObject(refund), closing.signal);
  }

  async function create(req: IncomingMessage, res: ServerResponse): Promise<string> {
    const key = req.headers["idempotence-key"];
    const body = await readBody(req);
    if (typeof key !== "string" || key === "" || key.length > 64)
      return refuse(res, 400, "invalid_request", "Idempotence key is missing");
    if (body.kind === "json" && receiptFault(body.value, demandsReceipts(req)) !== null)
      return refuseReceipt(res);
    const made = body.kind === "json" ? desk.create(body.value, key) : null;
    if (made === null) return refuse(res, 400, "invalid_request", "The payment cannot be read");
    const { payment, repeated } = made;
    if (payment.fault === "create-refused")
      return refuse(res, 400, "invalid_request", "This shop may not take payments");
    if (payment.fault === "notify-before-answer" && !repeated) {
      desk.act(payment, "pay");
      await tell(payment, "pay", req);
    }
    // Those of creation happen once, after the payment was made: asking again with the same key
    // finds it.
    return (
      (repeated ? null : spoilCreation(payment.fault, res)) ?? answer(res, objectOf(payment, req))
    );
  }

  function read(req: IncomingMessage, res: ServerResponse, path: string): string {
    const payment = desk.find(path.split("/").at(-1) ?? "");
    if (payment === null) return refuse(res, 404, "not_found", "Payment doesn't exist");
    payment.reads += 1;
    const object = objectOf(payment, req);
    const { fault, value, currency } = payment;
    if (payment.reads <= FAILED_READS) {
      if (fault === "read-500") return refuse(res, 500, "internal_server_error", "Try later");
      if (fault === "read-garbage") return garbage(res);
      if (fault === "read-hang") return "never answered";
    }
    if (fault === "other-amount")
      return answer(res, { ...object, amount: { value: `9${value}`, currency } });
    if (fault === "other-currency")
      return answer(res, { ...object, amount: { value, currency: "USD" } });
    return answer(
      res,
      fault === "other-payment" ? { ...object, metadata: { paymentId: "another" } } : object,
    );
  }

  async function page(req: IncomingMessage, res: ServerResponse, path: string): Promise<string> {
    const payment = desk.find(path.split("/").at(-1) ?? "");
    if (payment === null) return refuse(res, 404, "not_found", "Payment doesn't exist");
    if (req.method === "POST") {
      const wanted = new URLSearchParams(await text(req)).get("do");
      const act = PAYMENT_ACTS.find((one) => one === wanted);
      if (act === undefined && wanted !== "refund")
        return refuse(res, 400, "invalid_request", "do: pay, fail, cancel or refund");
      if (act === undefined) {
        const refund = refunds.refundRest(payment);
        if (refund !== null) void tellRefund(refund);
      } else if (desk.act(payment, act)) void tell(payment, act, req);
      res.writeHead(303, { location: payment.returnUrl }).end();
      return `303 ${wanted}`;
    }
    const asked = new URL(req.url ?? "/", "http://sandbox").searchParams.get("lang");
    const locale = asked === "ru" || asked === "en" ? asked : payment.locale;
    res.writeHead(200, { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
    res.end(paymentPage(payment, locale));
    return "200";
  }

  return {
    endpoints: [
      { method: "POST", path: /^\/payments\/v3\/payments$/, deny: null, serve: forShops(create) },
      {
        method: "GET",
        path: /^\/payments\/v3\/payments\/[\w-]+$/,
        deny: null,
        serve: forShops(read),
      },
      ...refundEndpoints({
        desk: refunds,
        findPayment: (id) => desk.find(id),
        tell: tellRefund,
      }),
      { method: "GET", path: /^\/payments\/page\/[\w-]+$/, deny: null, serve: page },
      { method: "POST", path: /^\/payments\/page\/[\w-]+$/, deny: null, serve: page },
    ],
    close: () => closing.abort(),
  };
}
