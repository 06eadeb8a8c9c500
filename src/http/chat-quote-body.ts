/** A quote of a chat request as it is answered. */
import { listedChatPrice } from "../gateway/list-models.ts";
import type { ChatQuote } from "../gateway/quote-chat.ts";
import { formatRoubles } from "../kernel/money.ts";

export function chatQuoteBody(quote: ChatQuote): object {
  const { plan, model } = quote;
  return {
    model: model.id,
    modelRequested: quote.modelRequested,
    endpoint: quote.endpoint,
    currency: "RUB",
    priceVersion: quote.priceVersion,
    price: listedChatPrice(model.price),
    inputTokens: { counted: quote.countedInputTokens, atMost: plan.inputTokens },
    maxOutputTokens: plan.limitTokens,
    hold: {
      minimum: formatRoubles(plan.minimumNano),
      first: formatRoubles(quote.firstNano),
      maximum: formatRoubles(plan.fullNano),
    },
    estimate: formatRoubles(quote.estimateNano),
    available: formatRoubles(quote.availableNano),
    admitted: quote.refusal === null,
    refusal: quote.refusal,
  };
}
