/** A quote of a task as the API answers it; pages also get why it would be refused. */
import { CURRENCY } from "../contract/enums/currency.ts";
import type { PlaygroundTaskQuote } from "../contract/panel/playground.ts";
import type { QuotedTask } from "../serving/tasks/quote-task.ts";
import { formatRoubles } from "../kernel/money.ts";

type PublicTaskQuote = Omit<PlaygroundTaskQuote, "refusal"> & {
  readonly refusal: Pick<NonNullable<QuotedTask["refusal"]>, "code" | "message"> | null;
};

export function panelTaskQuoteBody(quoted: QuotedTask): PlaygroundTaskQuote {
  return { ...taskQuoteBody(quoted), refusal: quoted.refusal };
}

export function taskQuoteBody({ order, availableNano, refusal }: QuotedTask): PublicTaskQuote {
  return {
    model: order.model.id,
    amount: formatRoubles(order.priceNano),
    currency: CURRENCY,
    priceVersion: order.priceVersion,
    input: { ...order.parameters },
    available: formatRoubles(availableNano),
    admitted: refusal === null,
    refusal: refusal === null ? null : { code: refusal.code, message: refusal.message },
  };
}
