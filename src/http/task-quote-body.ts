/** A quote of a task as it is answered. */
import { CURRENCY } from "../contract/enums/currency.ts";
import type { PlaygroundTaskQuote } from "../contract/panel/playground.ts";
import type { QuotedTask } from "../serving/tasks/quote-task.ts";
import { formatRoubles } from "../kernel/money.ts";

export function taskQuoteBody({ order, availableNano, refusal }: QuotedTask): PlaygroundTaskQuote {
  return {
    model: order.model.id,
    amount: formatRoubles(order.priceNano),
    currency: CURRENCY,
    priceVersion: order.priceVersion,
    input: { ...order.parameters },
    available: formatRoubles(availableNano),
    admitted: refusal === null,
    refusal,
  };
}
