/** Refunds as YooKassa offers them: made once for each key, read, and listed by payment. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Endpoint } from "../endpoint.ts";
import { isObject } from "../is-object.ts";
import { readBody } from "../read-body.ts";
import {
  answer,
  demandsReceipts,
  forShops,
  refuse,
  refuseReceipt,
  spoilCreation,
} from "./shop-answers.ts";
import type { Payment } from "./payment.ts";
import { receiptFault } from "./receipt-fault.ts";
import { refundObject, type Refund, type RefundDesk } from "./refund-desk.ts";

interface RefundSide {
  readonly desk: RefundDesk;
  findPayment(id: string): Payment | null;
  /** Tells the shop of one that succeeded. */
  tell(refund: Refund): Promise<void>;
}

export function refundEndpoints({ desk, findPayment, tell }: RefundSide): readonly Endpoint[] {
  async function create(req: IncomingMessage, res: ServerResponse): Promise<string> {
    const key = req.headers["idempotence-key"];
    const body = await readBody(req);
    if (typeof key !== "string" || key === "" || key.length > 64)
      return refuse(res, 400, "invalid_request", "Idempotence key is missing");
    if (body.kind !== "json") return refuse(res, 400, "invalid_request", "No JSON");
    const { amount, payment_id: paymentId } = body.value;
    const payment = typeof paymentId === "string" ? findPayment(paymentId) : null;
    const value = isObject(amount) ? amount["value"] : null;
    if (payment === null) return refuse(res, 400, "invalid_request", "Payment doesn't exist");
    // A refund of the whole has the receipt of its payment.
    const partial = value !== payment.value;
    if (receiptFault(body.value, partial && demandsReceipts(req)) !== null)
      return refuseReceipt(res);
    if (typeof value === "string" && value.endsWith(".34"))
      return refuse(res, 400, "invalid_request", "This shop may not refund");
    const made = desk.create(payment, body.value, key);
    if (made === null) return refuse(res, 400, "invalid_request", "Refund amount is too large");
    const { refund, repeated } = made;
    if (refund.fault === "lost-and-then-refused" && repeated)
      return refuse(res, 400, "invalid_request", "Refund amount is too large");
    if (!repeated && refund.status === "succeeded") void tell(refund);
    return (repeated ? null : spoilRefund(refund, res)) ?? answer(res, refundObject(refund));
  }

  function read(_req: IncomingMessage, res: ServerResponse, path: string): string {
    const refund = desk.find(path.split("/").at(-1) ?? "");
    if (refund === null) return refuse(res, 404, "not_found", "Refund doesn't exist");
    if (desk.age(refund) === "succeeded") void tell(refund);
    return answer(res, refundObject(refund));
  }

  function list(req: IncomingMessage, res: ServerResponse): string {
    const { searchParams } = new URL(req.url ?? "/", "http://sandbox");
    const items = desk.ofPayment(searchParams.get("payment_id") ?? "").map(refundObject);
    // A page holds one: a shop that looks for a refund has to read on.
    const from = Number(searchParams.get("cursor") ?? 0);
    return answer(res, {
      type: "list",
      items: items.slice(from, from + 1),
      ...(items.length > from + 1 ? { next_cursor: String(from + 1) } : {}),
    });
  }

  const path = /^\/payments\/v3\/refunds$/;
  return [
    { method: "POST", path, deny: null, serve: forShops(create) },
    { method: "GET", path, deny: null, serve: forShops(list) },
    {
      method: "GET",
      path: /^\/payments\/v3\/refunds\/[\w-]+$/,
      deny: null,
      serve: forShops(read),
    },
  ];
}

/** Null: it goes on as usual. */
function spoilRefund({ fault }: Refund, res: ServerResponse): string | null {
  return spoilCreation(fault === "lost-and-then-refused" ? "create-500" : fault, res);
}
