/** A chat price as decimal rouble strings, for lists, comparisons and people. */
import { formatRoubles } from "../kernel/money.ts";
import type { ChatPrice } from "./catalogue.ts";
import { CHAT_PRICE_FIELDS } from "./read-price.ts";

/** Roubles per 1M tokens, per image and per request: `{ input: "150", … }`, all fields. */
export function describeChatPrice(price: ChatPrice): Record<keyof ChatPrice, string> {
  return Object.fromEntries(CHAT_PRICE_FIELDS.map((field) => [field, formatRoubles(price[field])])) as Record<keyof ChatPrice, string>;
}
