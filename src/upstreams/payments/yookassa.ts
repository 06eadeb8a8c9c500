/**
 * Payments by YooKassa's API (https://yookassa.ru/developers/api): Basic authentication,
 * idempotence keys, a page to be redirected to, and notifications without a signature. The sandbox
 * speaks it too.
 */
import { CURRENCY } from "../../contract/enums/currency.ts";
import type { PaymentProviderName } from "../../contract/enums/payment-provider.ts";
import type { Outgoing, OutgoingRequest } from "../../net/outgoing.ts";
import { isRecord } from "../../protocol/json/is-record.ts";
import type { Nano } from "../../kernel/money.ts";
import { partsOf } from "../chat-post.ts";
import { exchangeJson, type ExchangeResult } from "../tasks/exchange-json.ts";
import { reasonText } from "../tasks/hide-credential.ts";
import type {
  CreateOutcome,
  PaymentProvider,
  PaymentReceipt,
  ReadOutcome,
  ReadRefundOutcome,
  RefundOutcome,
} from "./payment-provider.ts";
import { PROVIDER_ID } from "./provider-id.ts";
import { formatKopecks } from "./read-amount.ts";
import { readPaymentObject } from "./read-payment-object.ts";
import { readRefundList, readRefundObject } from "./read-refund-object.ts";

export interface YooKassaOptions {
  readonly outgoing: Outgoing;
  readonly name: PaymentProviderName;
  readonly sandbox: boolean;
  /** Ends before `/v3`, as in `https://api.yookassa.ru`. */
  readonly baseUrl: string;
  readonly shopId: string;
  readonly secretKey: string;
  readonly timeoutsMs?: {
    readonly connect: number;
    readonly firstByte: number;
    readonly idle: number;
  };
}

/** The payer waits for the first of them. */
const TIMEOUTS_MS = { connect: 4_000, firstByte: 10_000, idle: 4_000 };
const LOCALES = { ru: "ru_RU", en: "en_US" };
/** Busy, or a request with this idempotence key is under way: nothing is known yet. */
const PASSING = new Set([202, 408, 409, 425, 429]);
/** Says something of our credentials, and nothing of a refund. */
const NOT_ADMITTED = new Set([401, 403]);
/** Of a payment: a hundred refunds on each. */
const MOST_PAGES = 20;

export function createYooKassa(options: YooKassaOptions): PaymentProvider {
  const { outgoing, shopId, secretKey } = options;
  const timeouts = options.timeoutsMs ?? TIMEOUTS_MS;
  const { origin, path } = partsOf({ baseUrl: options.baseUrl, timeoutsMs: timeouts });
  const authorization = `Basic ${Buffer.from(`${shopId}:${secretKey}`).toString("base64")}`;

  function request(
    method: "GET" | "POST",
    tail: string,
    headers: Record<string, string>,
    body: unknown,
  ): OutgoingRequest {
    return {
      origin,
      path: `${path}/v3/${tail}`,
      method,
      headers: {
        authorization,
        accept: "application/json",
        "accept-encoding": "identity",
        "user-agent": "tollgate",
        ...headers,
      },
      body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
      connectTimeoutMs: timeouts.connect,
      firstByteTimeoutMs: timeouts.firstByte,
      idleTimeoutMs: timeouts.idle,
    };
  }

  /** For the log: the provider's words without our credential. */
  function reasonOf(result: ExchangeResult): string {
    if (result.kind === "failed") return reasonText(secretKey, result.why.reason);
    const { status, json } = result;
    const words = isRecord(json)
      ? [json["code"], json["description"]].filter((word) => typeof word === "string")
      : [];
    return reasonText(secretKey, `status ${status}`, ...words);
  }

  return {
    name: options.name,
    sandbox: options.sandbox,

    async createPayment(wish, signal): Promise<CreateOutcome> {
      const headers = { "content-type": "application/json", "idempotence-key": wish.paymentId };
      const result = await exchangeJson(
        outgoing,
        request("POST", "payments", headers, {
          amount: { value: formatKopecks(wish.amountNano), currency: CURRENCY },
          capture: true,
          confirmation: {
            type: "redirect",
            return_url: wish.returnUrl,
            locale: LOCALES[wish.locale],
          },
          payment_method_data: { type: wish.method },
          description: wish.description,
          metadata: { paymentId: wish.paymentId },
          ...(wish.receipt === null
            ? {}
            : { receipt: receiptObject(wish.receipt, wish.amountNano) }),
        }),
        signal,
      );
      if (result.kind === "failed") return { kind: "unknown", reason: reasonOf(result) };
      if (result.status === 200) {
        const payment = readPaymentObject(result.json, origin);
        return payment === null
          ? { kind: "unknown", reason: "an answer that is no payment" }
          : { kind: "created", payment };
      }
      const final = result.status >= 400 && result.status < 500 && !PASSING.has(result.status);
      if (!final) return { kind: "unknown", reason: reasonOf(result) };
      return {
        kind: "refused",
        reason: reasonOf(result),
        ...(blamesReceipt(result.json) ? { fault: "receipt" } : {}),
      };
    },

    async readPayment(providerPaymentId, signal): Promise<ReadOutcome> {
      const result = await exchangeJson(
        outgoing,
        request("GET", `payments/${encodeURIComponent(providerPaymentId)}`, {}, undefined),
        signal,
      );
      if (result.kind === "answer" && result.status === 404) return { kind: "missing" };
      if (result.kind === "failed" || result.status !== 200)
        return { kind: "unknown", reason: reasonOf(result) };
      const payment = readPaymentObject(result.json, origin);
      return payment === null
        ? { kind: "unknown", reason: "an answer that is no payment" }
        : { kind: "found", payment };
    },

    async createRefund(wish, signal): Promise<RefundOutcome> {
      const headers = { "content-type": "application/json", "idempotence-key": wish.refundId };
      const result = await exchangeJson(
        outgoing,
        request("POST", "refunds", headers, {
          payment_id: wish.providerPaymentId,
          amount: { value: formatKopecks(wish.amountNano), currency: CURRENCY },
          description: wish.description,
          metadata: { refundId: wish.refundId },
          ...(wish.receipt === null
            ? {}
            : { receipt: receiptObject(wish.receipt, wish.amountNano) }),
        }),
        signal,
      );
      if (result.kind === "failed") return { kind: "unknown", reason: reasonOf(result) };
      const { status } = result;
      if (status === 200) {
        const refund = readRefundObject(result.json);
        return refund === null
          ? { kind: "unknown", reason: "an answer that is no refund" }
          : { kind: "created", refund };
      }
      const final =
        status >= 400 && status < 500 && !PASSING.has(status) && !NOT_ADMITTED.has(status);
      return { kind: final ? "refused" : "unknown", reason: reasonOf(result) };
    },

    async readRefund(providerRefundId, signal): Promise<ReadRefundOutcome> {
      const result = await exchangeJson(
        outgoing,
        request("GET", `refunds/${encodeURIComponent(providerRefundId)}`, {}, undefined),
        signal,
      );
      if (result.kind === "answer" && result.status === 404) return { kind: "missing" };
      if (result.kind === "failed" || result.status !== 200)
        return { kind: "unknown", reason: reasonOf(result) };
      const refund = readRefundObject(result.json);
      return refund === null
        ? { kind: "unknown", reason: "an answer that is no refund" }
        : { kind: "found", refund };
    },

    async searchRefund({ refundId, providerPaymentId }, signal): Promise<ReadRefundOutcome> {
      let cursor: string | null = null;
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const query = new URLSearchParams({ payment_id: providerPaymentId, limit: "100" });
        if (cursor !== null) query.set("cursor", cursor);
        const result: ExchangeResult = await exchangeJson(
          outgoing,
          request("GET", `refunds?${query.toString()}`, {}, undefined),
          signal,
        );
        if (result.kind === "failed" || result.status !== 200)
          return { kind: "unknown", reason: reasonOf(result) };
        const list = readRefundList(result.json);
        if (list === null)
          return { kind: "unknown", reason: "an answer that is no list of refunds" };
        const refund = list.refunds.find((one) => one.refundId === refundId);
        if (refund !== undefined) return { kind: "found", refund };
        if (list.nextCursor === null) return { kind: "missing" };
        cursor = list.nextCursor;
      }
      return { kind: "unknown", reason: "a list of refunds without an end" };
    },

    readNotification(body) {
      const object = isRecord(body) ? body["object"] : null;
      if (!isRecord(object)) return null;
      const { payment_id: ofRefund, id, metadata } = object;
      const named = typeof ofRefund === "string" ? ofRefund : id;
      const paymentId =
        isRecord(metadata) && typeof metadata["paymentId"] === "string"
          ? metadata["paymentId"]
          : null;
      const providerPaymentId = typeof named === "string" && PROVIDER_ID.test(named) ? named : null;
      return providerPaymentId === null && paymentId === null
        ? null
        : { providerPaymentId, paymentId };
    },
  };
}

/** `parameter` names the field at fault, as in `receipt` or `receipt.items[0].vat_code`. */
function blamesReceipt(json: unknown): boolean {
  const parameter = isRecord(json) ? json["parameter"] : null;
  return typeof parameter === "string" && /^receipt(\W|$)/.test(parameter);
}

/**
 * One thing was bought, for the whole amount:
 * https://yookassa.ru/developers/payment-acceptance/receipts/54fz/yoomoney/basics
 */
function receiptObject(
  { email, item, vatCode, taxSystemCode, subject, mode }: PaymentReceipt,
  amountNano: Nano,
): object {
  return {
    customer: { email },
    items: [
      {
        description: item,
        quantity: "1.00",
        amount: { value: formatKopecks(amountNano), currency: CURRENCY },
        vat_code: vatCode,
        payment_subject: subject,
        payment_mode: mode,
      },
    ],
    ...(taxSystemCode === null ? {} : { tax_system_code: taxSystemCode }),
  };
}
