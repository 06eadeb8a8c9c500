/** Reads a sum as YooKassa writes it, `{"value": "500.50", "currency": "RUB"}`, and writes one. */
import type { Nano } from "../../kernel/money.ts";
import { formatRoubles, parseRoubles } from "../../kernel/money.ts";
import { isRecord } from "../../protocol/json/is-record.ts";

/** Null: this is none, or it is below zero. */
export function readAmount(
  amount: unknown,
): { readonly amountNano: Nano; readonly currency: string } | null {
  if (!isRecord(amount)) return null;
  const { value, currency } = amount;
  const amountNano = typeof value === "string" ? parseRoubles(value) : null;
  return amountNano === null || amountNano < 0n || typeof currency !== "string"
    ? null
    : { amountNano, currency };
}

/** With both digits of the kopecks, as `500.00`. */
export function formatKopecks(amountNano: Nano): string {
  const [whole = "0", fraction = ""] = formatRoubles(amountNano).split(".");
  return `${whole}.${fraction.padEnd(2, "0")}`;
}
