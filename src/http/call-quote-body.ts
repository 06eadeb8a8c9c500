/**
 * A quote of a call that is no chat, as the API answers it: of a model of calls, or of a task model.
 * Pages also get why it would be refused.
 */
import { lineViews, multiplierViews } from "../business/requests/explain-receipt.ts";
import type { CallEndpoint } from "../contract/enums/call-endpoint.ts";
import { CURRENCY } from "../contract/enums/currency.ts";
import { describeCallPrice, unitOf } from "../contract/price/call-price-body.ts";
import { explainTaskPrice } from "../contract/price/explain-price.ts";
import { CallQuote as CallQuoteBody } from "../contract/quote.ts";
import { formatRoubles } from "../kernel/money.ts";
import type { CallQuote } from "../serving/calls/quote-call.ts";
import { listedTaskPrice } from "../serving/models/list-models.ts";
import type { QuotedTask } from "../serving/tasks/quote-task.ts";

export const CALL_QUOTED = {
  200: { description: "The quote.", content: { "application/json": CallQuoteBody } },
};

export function callQuoteBody(
  { model, explained, ...quote }: CallQuote,
  forPages: boolean,
): object {
  return {
    model: model.id,
    modelRequested: quote.modelRequested,
    endpoint: quote.endpoint,
    currency: CURRENCY,
    priceVersion: quote.priceVersion,
    price: { currency: CURRENCY, unit: unitOf(model.price), ...describeCallPrice(model.price) },
    inputTokens: quote.inputTokens,
    maxOutputTokens: quote.maxOutputTokens,
    hold: formatRoubles(quote.holdNano),
    estimate: formatRoubles(quote.estimateNano),
    lines: lineViews(explained.lines),
    ...moneyOf(quote, forPages),
  };
}

/** Of an order that was read, so that it has a price. */
export function orderQuoteBody(
  endpoint: CallEndpoint,
  quoted: QuotedTask,
  forPages: boolean,
): object {
  const { model, parameters, priceNano, priceVersion } = quoted.order;
  const explained = explainTaskPrice(model.price, parameters);
  const amount = formatRoubles(priceNano);
  return {
    model: model.id,
    modelRequested: model.id,
    endpoint,
    currency: CURRENCY,
    priceVersion,
    price: listedTaskPrice(model),
    inputTokens: { counted: 0, atMost: 0 },
    maxOutputTokens: 0,
    hold: amount,
    estimate: amount,
    lines: lineViews(explained?.lines ?? []),
    multipliers: multiplierViews(explained?.multipliers ?? []),
    input: { ...parameters },
    ...moneyOf(quoted, forPages),
  };
}

function moneyOf(
  { availableNano, refusal }: Pick<CallQuote, "availableNano" | "refusal">,
  forPages: boolean,
): object {
  const publicly = refusal === null ? null : { code: refusal.code, message: refusal.message };
  return {
    available: formatRoubles(availableNano),
    admitted: refusal === null,
    refusal: forPages ? refusal : publicly,
  };
}
