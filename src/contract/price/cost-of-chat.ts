/**
 * What an answer costs the operator: by the route's own tariff, where that says all that is needed.
 */
import type { Nano } from "../../kernel/money.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";
import { VARIANT_FIELDS } from "../../kernel/price-raises.ts";
import { variantOf } from "./chat-rate.ts";
import type { ChatTariff, ChatUse } from "./chat-tariff.ts";
import { priceChat } from "./price-chat.ts";
import { ALWAYS_DEARER } from "./resolve-use.ts";

/**
 * Null where the catalogue does not say it: of a route without a cost, or of a variant or tool that
 * the route's cost does not name.
 */
export function costOfChat(
  sold: ChatTariff,
  cost: ChatTariff | null,
  usage: TokenUsage,
  done: ChatUse | null,
): Nano | null {
  if (cost === null) return null;
  if (done !== null && !isCostKnown(sold, cost, done)) return null;
  return priceChat(cost, usage, done);
}

/** Whether the cost names all that makes this use dearer. */
export function isCostKnown(
  sold: ChatTariff,
  cost: ChatTariff,
  { variants, tools }: ChatUse,
): boolean {
  for (const field of VARIANT_FIELDS) {
    const value = variants[field];
    if (value === undefined || variantOf(cost, field, value) !== undefined) continue;
    if (ALWAYS_DEARER.has(value) || variantOf(sold, field, value) !== undefined) return false;
  }
  return Object.entries(tools).every(([tool, calls]) => {
    if (cost.surcharges?.tools.has(tool) === true || cost.surcharges?.free.has(tool) === true)
      return true;
    return calls === 0 || sold.surcharges?.tools.has(tool) !== true;
  });
}
