/**
 * Reads a refund as YooKassa writes it (https://yookassa.ru/developers/api#refund_object): all of
 * what money hangs on, or nothing.
 */
import { isRecord } from "../../protocol/json/is-record.ts";
import { safeText } from "../../protocol/safe-text.ts";
import type { ProviderRefund } from "./payment-provider.ts";
import { readAmount } from "./read-amount.ts";
import { PROVIDER_ID, WORDS_LIMIT_CHARACTERS } from "./provider-id.ts";

/** Null: this is no refund. */
export function readRefundObject(json: unknown): ProviderRefund | null {
  if (!isRecord(json)) return null;
  const { id, payment_id: ofPayment, status, amount, metadata } = json;
  const { cancellation_details: cancellation } = json;
  const sum = readAmount(amount);
  if (
    typeof id !== "string" ||
    !PROVIDER_ID.test(id) ||
    typeof ofPayment !== "string" ||
    typeof status !== "string" ||
    sum === null
  )
    return null;
  const reason = isRecord(cancellation) ? cancellation["reason"] : null;
  const ours = isRecord(metadata) ? metadata["refundId"] : null;
  return {
    providerRefundId: id,
    providerPaymentId: ofPayment,
    refundId: typeof ours === "string" ? ours : null,
    ...sum,
    status: status === "succeeded" || status === "canceled" ? status : "pending",
    cancellation: typeof reason === "string" ? safeText(reason, WORDS_LIMIT_CHARACTERS) : null,
  };
}

/** A page of a list of refunds; null: this is none, or one of its refunds cannot be read. */
export function readRefundList(
  json: unknown,
): { readonly refunds: readonly ProviderRefund[]; readonly nextCursor: string | null } | null {
  const items = isRecord(json) ? json["items"] : null;
  if (!isRecord(json) || !Array.isArray(items)) return null;
  const refunds = (items as unknown[]).map(readRefundObject);
  const { next_cursor: next = null } = json;
  if (refunds.includes(null) || (next !== null && typeof next !== "string")) return null;
  return { refunds: refunds.filter((refund) => refund !== null), nextCursor: next };
}
