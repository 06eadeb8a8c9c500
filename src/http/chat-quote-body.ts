/** A quote of a chat request as the API answers it; pages also get why it would be refused. */
import { lineViews, multiplierViews } from "../business/requests/explain-receipt.ts";
import { CURRENCY } from "../contract/enums/currency.ts";
import type { PlaygroundChatQuote } from "../contract/panel/playground.ts";
import { listedChatPrice } from "../serving/models/list-models.ts";
import type { ChatQuote } from "../serving/chat/quote-chat.ts";
import { formatRoubles } from "../kernel/money.ts";

type PublicChatQuote = Omit<PlaygroundChatQuote, "refusal"> & {
  readonly refusal: Pick<NonNullable<ChatQuote["refusal"]>, "code" | "message"> | null;
};

export function panelChatQuoteBody(quote: ChatQuote): PlaygroundChatQuote {
  return { ...chatQuoteBody(quote), refusal: quote.refusal };
}

export function chatQuoteBody(quote: ChatQuote): PublicChatQuote {
  const { plan, model } = quote;
  return {
    model: model.id,
    modelRequested: quote.modelRequested,
    endpoint: quote.endpoint,
    currency: CURRENCY,
    priceVersion: quote.priceVersion,
    price: listedChatPrice(model),
    inputTokens: { counted: quote.countedInputTokens, atMost: plan.inputTokens },
    maxOutputTokens: plan.limitTokens,
    hold: {
      minimum: formatRoubles(quote.minimumNano),
      first: formatRoubles(quote.firstNano),
      maximum: formatRoubles(plan.fullNano),
    },
    estimate: formatRoubles(quote.estimateNano),
    tier: quote.explained.tier,
    lines: lineViews(quote.explained.lines),
    multipliers: multiplierViews(quote.explained.multipliers),
    droppedTools: [...quote.droppedTools],
    available: formatRoubles(quote.availableNano),
    admitted: quote.refusal === null,
    refusal:
      quote.refusal === null ? null : { code: quote.refusal.code, message: quote.refusal.message },
  };
}
