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
  if (cost === null || lackingCost(sold, cost, done) !== null) return null;
  return priceChat(cost, usage, done);
}

/** Whether the cost names all that makes this use dearer. */
export function isCostKnown(sold: ChatTariff, cost: ChatTariff, done: ChatUse): boolean {
  return lackingCost(sold, cost, done) === null;
}

/** The key of the route that would name what makes this use dearer; null where nothing lacks. */
export function lackingCost(
  sold: ChatTariff,
  cost: ChatTariff,
  done: ChatUse | null,
): string | null {
  if (done === null) return null;
  for (const field of VARIANT_FIELDS) {
    const value = done.variants[field];
    if (value === undefined || variantOf(cost, field, value) !== undefined) continue;
    if (ALWAYS_DEARER.has(value) || variantOf(sold, field, value) !== undefined)
      return costKey(field, value);
  }
  for (const [tool, calls] of Object.entries(done.tools)) {
    if (cost.surcharges?.tools.has(tool) === true || cost.surcharges?.free.has(tool) === true)
      continue;
    if (calls > 0 && sold.surcharges?.tools.has(tool) === true) return costKey("tools", tool);
  }
  return null;
}

/** As the catalogue writes it, within a route. */
export function costKey(of: string, name: string): string {
  return `costSurcharges.${of}.${name}`;
}
