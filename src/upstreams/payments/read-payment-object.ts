/**
 * Reads a payment as YooKassa writes it (https://yookassa.ru/developers/api#payment_object): all of
 * what money hangs on, or nothing.
 */
import { ZERO_NANO } from "../../kernel/money.ts";
import { isRecord } from "../../protocol/json/is-record.ts";
import { safeText } from "../../protocol/safe-text.ts";
import type { ProviderPayment } from "./payment-provider.ts";
import { PROVIDER_ID, WORDS_LIMIT_CHARACTERS } from "./provider-id.ts";
import { readAmount } from "./read-amount.ts";

const URL_LIMIT_CHARACTERS = 2_000;

/**
 * `origin`: the provider's own; its page may lie there without TLS, and nowhere else. Null: this is
 * no payment.
 */
export function readPaymentObject(json: unknown, origin: string): ProviderPayment | null {
  if (!isRecord(json)) return null;
  const {
    id,
    status,
    amount,
    refunded_amount: refunded,
    metadata,
    cancellation_details: cancellation,
    confirmation,
  } = json;
  const sum = readAmount(amount);
  const given =
    refunded === undefined || refunded === null ? { amountNano: ZERO_NANO } : readAmount(refunded);
  if (
    typeof id !== "string" ||
    !PROVIDER_ID.test(id) ||
    typeof status !== "string" ||
    sum === null ||
    given === null
  )
    return null;
  // Said in two places; one of them alone is not believed.
  if (status === "succeeded" && json["paid"] !== true) return null;
  const reason = isRecord(cancellation) ? cancellation["reason"] : null;
  const ours = isRecord(metadata) ? metadata["paymentId"] : null;
  return {
    providerPaymentId: id,
    paymentId: typeof ours === "string" ? ours : null,
    ...sum,
    status: status === "succeeded" || status === "canceled" ? status : "pending",
    refundedNano: given.amountNano,
    cancellation: typeof reason === "string" ? safeText(reason, WORDS_LIMIT_CHARACTERS) : null,
    confirmationUrl: isRecord(confirmation)
      ? readPage(confirmation["confirmation_url"], origin)
      : null,
  };
}

/** We send browsers there. */
function readPage(url: unknown, origin: string): string | null {
  if (typeof url !== "string" || url.length > URL_LIMIT_CHARACTERS) return null;
  const parsed = URL.parse(url);
  return parsed !== null && (parsed.protocol === "https:" || parsed.origin === origin)
    ? parsed.href
    : null;
}
