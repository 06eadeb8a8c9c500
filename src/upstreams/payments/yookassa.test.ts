/**
 * Protects: a payment is asked for as YooKassa documents it, and nothing is read out of an answer
 * that it does not say for certain.
 */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { nano } from "../../kernel/money.ts";
import { createOutgoing } from "../../net/outgoing.ts";
import type { PaymentProvider } from "./payment-provider.ts";
import { createYooKassa } from "./yookassa.ts";

const SECRET = "live_0123456789abcdef";
const WISH = {
  paymentId: "01a201d1-35c6-7000-8473-86b06500cae5",
  amountNano: nano(500_500_000_000n),
  method: "sbp",
  locale: "ru",
  returnUrl: "https://shop.example/panel/billing?topUp=1",
  description: "Пополнение баланса",
  receipt: null,
} as const;
const RECEIPT = {
  email: "anna@example.com",
  item: "Пополнение баланса",
  vatCode: 11,
  taxSystemCode: 1,
  subject: "service",
  mode: "advance",
} as const;
const PAYMENT = {
  id: "2d9e-1",
  status: "pending",
  paid: false,
  amount: { value: "500.50", currency: "RUB" },
  confirmation: { type: "redirect", confirmation_url: "https://yoomoney.example/pay?id=1" },
  metadata: { paymentId: WISH.paymentId },
};

const outgoing = createOutgoing();
const seen: { request: IncomingMessage; body: string }[] = [];
let server: Server;
let provider: PaymentProvider;
let answer: { readonly status: number; readonly body: string } = { status: 200, body: "" };

before(async () => {
  server = createServer((request, response) => {
    void text(request).then((body) => {
      seen.push({ request, body });
      response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  provider = createYooKassa({
    outgoing,
    name: "yookassa",
    sandbox: false,
    baseUrl,
    shopId: "100500",
    secretKey: SECRET,
  });
});
after(async () => {
  await outgoing.close();
  server.close();
});

function create(status: number, body: unknown): ReturnType<PaymentProvider["createPayment"]> {
  answer = { status, body: typeof body === "string" ? body : JSON.stringify(body) };
  return provider.createPayment(WISH, new AbortController().signal);
}

function read(status: number, body: unknown): ReturnType<PaymentProvider["readPayment"]> {
  answer = { status, body: typeof body === "string" ? body : JSON.stringify(body) };
  return provider.readPayment("2d9e-1", new AbortController().signal);
}

test("a creation is sent as documented: Basic authentication, the idempotence key, both digits of the kopecks", async () => {
  assert.equal((await create(200, PAYMENT)).kind, "created");
  const sent = seen.at(-1);
  assert.equal(sent?.request.method, "POST");
  assert.equal(sent?.request.url, "/v3/payments");
  assert.equal(
    sent?.request.headers.authorization,
    `Basic ${Buffer.from(`100500:${SECRET}`).toString("base64")}`,
  );
  assert.equal(sent?.request.headers["idempotence-key"], WISH.paymentId);
  assert.deepEqual(JSON.parse(sent?.body ?? ""), {
    amount: { value: "500.50", currency: "RUB" },
    capture: true,
    confirmation: { type: "redirect", return_url: WISH.returnUrl, locale: "ru_RU" },
    payment_method_data: { type: "sbp" },
    description: WISH.description,
    metadata: { paymentId: WISH.paymentId },
  });
});

test("a receipt goes with the creation: where it is sent, one item of the whole amount, and a tax system only where one is named", async () => {
  answer = { status: 200, body: JSON.stringify(PAYMENT) };
  const sent = async (taxSystemCode: number | null): Promise<unknown> => {
    await provider.createPayment(
      { ...WISH, receipt: { ...RECEIPT, taxSystemCode } },
      new AbortController().signal,
    );
    return (JSON.parse(seen.at(-1)?.body ?? "") as { receipt: unknown }).receipt;
  };
  const items = [
    {
      description: RECEIPT.item,
      quantity: "1.00",
      amount: { value: "500.50", currency: "RUB" },
      vat_code: 11,
      payment_subject: "service",
      payment_mode: "advance",
    },
  ];
  assert.deepEqual(await sent(1), {
    customer: { email: "anna@example.com" },
    items,
    tax_system_code: 1,
  });
  assert.deepEqual(await sent(null), { customer: { email: "anna@example.com" }, items });
});

test("a refusal for the receipt is told from others by the field that it names", async () => {
  const error = {
    type: "error",
    code: "invalid_request",
    description: "Receipt is missing or illegal",
  };
  for (const [parameter, fault] of [
    ["receipt", "receipt"],
    ["receipt.items[0].vat_code", "receipt"],
    ["receipts_url", undefined],
    ["amount", undefined],
    [undefined, undefined],
  ] as const) {
    const refused = await create(400, { ...error, parameter });
    assert.ok(refused.kind === "refused" && refused.fault === fault, String(parameter));
  }
  const busy = await create(500, { ...error, parameter: "receipt" });
  assert.equal(busy.kind, "unknown", "nothing is known for certain");
});

test("what a payment says is read to the kopeck", async () => {
  const succeeded = {
    ...PAYMENT,
    status: "succeeded",
    paid: true,
    refunded_amount: { value: "0.50", currency: "RUB" },
    confirmation: undefined,
  };
  assert.deepEqual(await read(200, succeeded), {
    kind: "found",
    payment: {
      providerPaymentId: "2d9e-1",
      paymentId: WISH.paymentId,
      amountNano: 500_500_000_000n,
      currency: "RUB",
      status: "succeeded",
      refundedNano: 500_000_000n,
      cancellation: null,
      confirmationUrl: null,
    },
  });
  const canceled = await read(200, {
    ...PAYMENT,
    status: "canceled",
    cancellation_details: { party: "yoo_money", reason: "fraud_suspected" },
  });
  assert.ok(canceled.kind === "found" && canceled.payment.cancellation === "fraud_suspected");
  for (const status of ["waiting_for_capture", "something_new"]) {
    const waiting = await read(200, { ...PAYMENT, status, paid: true });
    assert.ok(waiting.kind === "found" && waiting.payment.status === "pending", status);
  }
});

test("an answer that is no payment, or contradicts itself, says nothing", async () => {
  const odd: unknown[] = ["", "<html>", "[]", "null", "{}", JSON.stringify(PAYMENT).slice(0, -9)];
  odd.push(
    { ...PAYMENT, status: "succeeded", paid: false },
    { ...PAYMENT, status: 1 },
    { ...PAYMENT, id: "../../x" },
    { ...PAYMENT, id: 7 },
  );
  odd.push(
    { ...PAYMENT, amount: { value: 500.5, currency: "RUB" } },
    { ...PAYMENT, amount: { value: "-500.50", currency: "RUB" } },
  );
  odd.push(
    { ...PAYMENT, amount: { value: "500.50" } },
    { ...PAYMENT, amount: null },
    { ...PAYMENT, refunded_amount: { value: "x" } },
  );
  for (const body of odd) {
    assert.equal((await create(200, body)).kind, "unknown", JSON.stringify(body));
    assert.equal((await read(200, body)).kind, "unknown", JSON.stringify(body));
  }
});

const REFUND = {
  id: "refund-1",
  payment_id: "2d9e-1",
  status: "pending",
  amount: { value: "100.50", currency: "RUB" },
  metadata: { refundId: WISH.paymentId },
};
const REFUND_WISH = {
  refundId: WISH.paymentId,
  providerPaymentId: "2d9e-1",
  amountNano: nano(100_500_000_000n),
  description: "Возврат",
  receipt: null,
} as const;

function refund(status: number, body: unknown): ReturnType<PaymentProvider["createRefund"]> {
  answer = { status, body: typeof body === "string" ? body : JSON.stringify(body) };
  return provider.createRefund(REFUND_WISH, new AbortController().signal);
}

test("a refund is asked for as documented, under our id, with its receipt", async () => {
  assert.deepEqual(await refund(200, REFUND), {
    kind: "created",
    refund: {
      providerRefundId: "refund-1",
      providerPaymentId: "2d9e-1",
      refundId: WISH.paymentId,
      amountNano: 100_500_000_000n,
      currency: "RUB",
      status: "pending",
      cancellation: null,
    },
  });
  const sent = seen.at(-1);
  assert.deepEqual(
    [sent?.request.method, sent?.request.url, sent?.request.headers["idempotence-key"]],
    ["POST", "/v3/refunds", WISH.paymentId],
  );
  assert.deepEqual(JSON.parse(sent?.body ?? ""), {
    payment_id: "2d9e-1",
    amount: { value: "100.50", currency: "RUB" },
    description: "Возврат",
    metadata: { refundId: WISH.paymentId },
  });
  await provider.createRefund({ ...REFUND_WISH, receipt: RECEIPT }, new AbortController().signal);
  const { receipt } = JSON.parse(seen.at(-1)?.body ?? "") as {
    receipt: { items: { amount: unknown }[] };
  };
  assert.deepEqual(receipt.items[0]?.amount, { value: "100.50", currency: "RUB" });
});

test("nothing is known of a refund where our credentials are refused, or an answer is none; a refusal is one where it is of the refund", async () => {
  for (const status of [400, 404])
    assert.equal((await refund(status, {})).kind, "refused", String(status));
  for (const status of [401, 403, 202, 409, 429, 500, 302])
    assert.equal((await refund(status, {})).kind, "unknown", String(status));
  for (const odd of ["", "[]", { ...REFUND, id: "a b" }, { ...REFUND, amount: { value: "x" } }])
    assert.equal((await refund(200, odd)).kind, "unknown", JSON.stringify(odd));
  const canceled = { ...REFUND, status: "canceled", cancellation_details: { reason: "why" } };
  const read = await refund(200, canceled);
  assert.ok(read.kind === "created" && read.refund.cancellation === "why");
});

test("a refund is missing only from a list that was read to its end and understood", async () => {
  const search = (body: unknown): ReturnType<PaymentProvider["searchRefund"]> => {
    answer = { status: 200, body: JSON.stringify(body) };
    return provider.searchRefund(REFUND_WISH, new AbortController().signal);
  };
  const stranger = { ...REFUND, id: "refund-2", metadata: {} };
  assert.equal((await search({ items: [stranger, REFUND] })).kind, "found");
  assert.match(seen.at(-1)?.request.url ?? "", /^\/v3\/refunds\?payment_id=2d9e-1&/);
  assert.equal((await search({ items: [stranger] })).kind, "missing");
  assert.equal((await search({ items: [] })).kind, "missing");
  for (const odd of [{}, { items: {} }, { items: [{ id: 7 }] }, { items: [], next_cursor: 7 }])
    assert.equal((await search(odd)).kind, "unknown", JSON.stringify(odd));
  assert.equal((await search({ items: [stranger], next_cursor: "on" })).kind, "unknown");
});

test("browsers are sent to pages with TLS, or to the provider's own server", async () => {
  for (const url of [
    "javascript:alert(1)",
    "http://evil.example/",
    "//evil.example",
    "data:text/html,x",
    "https://x/".padEnd(3_000, "y"),
    7,
  ]) {
    const created = await create(200, { ...PAYMENT, confirmation: { confirmation_url: url } });
    assert.ok(
      created.kind === "created" && created.payment.confirmationUrl === null,
      String(url).slice(0, 40),
    );
  }
});

test("only a refusal that is final is one; what may pass is not known; our key is in no reason", async () => {
  const error = {
    type: "error",
    code: "invalid_credentials",
    description: `Shop 100500 with ${SECRET} is not known`,
  };
  for (const status of [400, 401, 403]) {
    const refused = await create(status, error);
    assert.ok(
      refused.kind === "refused" &&
        !refused.reason.includes(SECRET) &&
        /invalid_credentials/.test(refused.reason),
      String(status),
    );
  }
  for (const status of [202, 408, 409, 429, 500, 502, 302])
    assert.equal((await create(status, error)).kind, "unknown", String(status));
  assert.deepEqual(await read(404, error), { kind: "missing" });
  for (const status of [400, 401, 403, 429, 500, 302])
    assert.equal((await read(status, error)).kind, "unknown", String(status));
});

test("a notification names a payment and nothing more", () => {
  const of = (object: unknown): unknown =>
    provider.readNotification({ type: "notification", event: "payment.succeeded", object });
  assert.deepEqual(of(PAYMENT), { providerPaymentId: "2d9e-1", paymentId: WISH.paymentId });
  assert.deepEqual(of({ id: "refund-1", payment_id: "2d9e-1" }), {
    providerPaymentId: "2d9e-1",
    paymentId: null,
  });
  for (const object of [null, [], "x", {}, { id: 7 }, { id: "a b" }, { id: "x".repeat(200) }])
    assert.equal(of(object), null, JSON.stringify(object));
  for (const body of [null, undefined, [], "x", 7])
    assert.equal(provider.readNotification(body), null);
});
