/**
 * `POST /v1/quote/chat/completions`, `…/messages` and `…/responses`: what a chat request would hold
 * and cost, charging nothing (contract §6).
 */
import Type from "typebox";
import { CALL_ENDPOINTS } from "./enums/call-endpoint.ts";
import { CHAT_ENDPOINTS } from "./enums/chat-endpoint.ts";
import { ModelPrice } from "./model-list.ts";
import { nullableInteger } from "./nullable.ts";
import { PriceLine, PriceMultiplier } from "./price/price-line.ts";
import { Currency, roubles } from "./money.ts";

const QuotedInput = Type.Object(
  {
    counted: Type.Integer({
      description: "The prompt as our tokenizer counts it; the upstream's own count may differ.",
      examples: [104],
    }),
    atMost: Type.Integer({
      description: "The upper estimate that the holds rest on.",
      examples: [131],
    }),
  },
  { description: "Prompt tokens." },
);

const QuotedHold = Type.Object(
  {
    minimum: roubles("The least that must be available: the prompt and a short answer.", "0.17325"),
    first: roubles(
      "What would be held at first, with what is available now: of a stream the prompt and a slice of the answer, of a short whole answer the maximum.",
      "0.63405",
    ),
    maximum: roubles(
      "The worst case: the longest answer that the request allows, every token in its dearest class.",
      "19.21965",
    ),
  },
  {
    description:
      "What would be held. Holds grow while an answer does, and what was held and not spent is released.",
  },
);

const QuoteRefusal = Type.Object(
  {
    code: Type.Enum(
      [
        "insufficient_balance",
        "key_limit_exceeded",
        "group_limit_exceeded",
        "permission_denied",
        "invalid_api_key",
      ],
      {
        description: "As the refusal would have it.",
      },
    ),
    message: Type.String({
      examples: [
        "The balance cannot cover this request: it needs 0.17325 RUB, 0.1 RUB is available. Top the balance up.",
      ],
    }),
  },
  { description: "Why the request would not be admitted." },
);

/** `POST /v1/quote/embeddings` and its like; at the image endpoints of task models, too. */
export const CallQuote = Type.Object(
  {
    model: Type.String({
      description: "The model whose price counts.",
      examples: ["sandbox-embedding"],
    }),
    modelRequested: Type.String({
      description: "The model as it was asked for.",
      examples: ["sandbox-embedding"],
    }),
    endpoint: Type.Enum([...CALL_ENDPOINTS]),
    currency: Currency,
    priceVersion: Type.Integer({ description: "The price list in force.", examples: [1] }),
    price: ModelPrice,
    inputTokens: QuotedInput,
    maxOutputTokens: Type.Integer({
      description: "The longest answer that the request allows; 0 where it is no text.",
      examples: [0],
    }),
    hold: roubles("What would be held: the most that it can cost.", "0.0003"),
    estimate: roubles("The counted input, and the longest answer.", "0.0002"),
    lines: Type.Array(PriceLine, { description: "What the estimate is made of." }),
    multipliers: Type.Optional(
      Type.Array(PriceMultiplier, {
        description: "Of a task model: what the lines are multiplied by.",
      }),
    ),
    input: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "Of a task model: the parameters that were priced, defaults filled in.",
      }),
    ),
    available: roubles(
      "What a request of this key can use now: of the balance, and of the key's own limit.",
      "987.5",
    ),
    admitted: Type.Boolean({ description: "Whether the request would be admitted now." }),
    refusal: Type.Union([QuoteRefusal, Type.Null()], { description: "Null where it would be." }),
  },
  { description: "What a call that has not been made would hold and cost." },
);

export const ChatQuote = Type.Object(
  {
    model: Type.String({
      description: "The model whose price counts.",
      examples: ["sandbox-large"],
    }),
    modelRequested: Type.String({
      description: "The model as it was asked for: another id where that is a family's.",
      examples: ["sandbox-large"],
    }),
    endpoint: Type.Enum([...CHAT_ENDPOINTS]),
    currency: Currency,
    priceVersion: Type.Integer({ description: "The price list in force.", examples: [1] }),
    price: ModelPrice,
    inputTokens: QuotedInput,
    maxOutputTokens: Type.Integer({
      description: "The longest answer that the request allows, all choices together.",
      examples: [32000],
    }),
    hold: QuotedHold,
    estimate: roubles(
      "The counted prompt, nothing of it cached, the longest answer, what was asked for beside tokens, and every call of a tool that would be held for.",
      "19.2156",
    ),
    tier: nullableInteger(
      {},
      {
        description:
          "Of the estimate: the prompt tokens that its tier begins above; null: below all tiers.",
      },
    ),
    lines: Type.Array(PriceLine, { description: "What the estimate is made of." }),
    multipliers: Type.Array(PriceMultiplier, {
      description: "What the lines per 1M tokens are multiplied by.",
    }),
    droppedTools: Type.Array(Type.String(), {
      description: "Tools of the request that the model would not get; see `POST /v1/responses`.",
    }),
    available: roubles(
      "What a request of this key can use now: of the balance, and of the key's own limit.",
      "987.5",
    ),
    admitted: Type.Boolean({ description: "Whether the request would be admitted now." }),
    refusal: Type.Union([QuoteRefusal, Type.Null()], { description: "Null where it would be." }),
  },
  { description: "What a chat request that has not been made would hold and cost." },
);
