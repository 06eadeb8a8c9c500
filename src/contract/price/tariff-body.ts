/**
 * A chat tariff as it is written: in the catalogue file, in the list of models, for the panel. One
 * schema for all of them.
 */
import Type from "typebox";

/**
 * Decimal roubles, and decimal factors: who reads them from a file tells the two apart by
 * `x-amount`.
 */
const Roubles = Type.String({
  "x-amount": "roubles",
  description: "Decimal roubles.",
  examples: ["150"],
});
const Factor = Type.String({
  "x-amount": "factor",
  description: "A positive decimal.",
  examples: ["2"],
});

const MOST_PROMPT_TOKENS = 100_000_000;
const MOST_CALLS = 1_000;

const kinds = {
  input: Roubles,
  cachedInput: Type.Optional(Roubles),
  cacheWrite5m: Type.Optional(Roubles),
  cacheWrite1h: Type.Optional(Roubles),
  imageInput: Type.Optional(Roubles),
  audioInput: Type.Optional(Roubles),
  output: Roubles,
  reasoning: Type.Optional(Roubles),
  audioOutput: Type.Optional(Roubles),
  imageOutput: Type.Optional(Roubles),
  image: Type.Optional(Roubles),
  request: Type.Optional(Roubles),
};

export const ChatPriceBody = Type.Object(kinds, {
  description: "Roubles per 1M tokens by kind; `image` and `request` each.",
  examples: [{ input: "300", cachedInput: "30", output: "1200" }],
});
export type ChatPriceBody = Type.Static<typeof ChatPriceBody>;

export const TiersBody = Type.Array(
  Type.Object({
    abovePromptTokens: Type.Integer({
      minimum: 1,
      maximum: MOST_PROMPT_TOKENS,
      examples: [128000],
    }),
    price: ChatPriceBody,
  }),
  {
    description:
      "The prices of all tokens of a request whose prompt is longer: plain, cached, written, audio and image tokens together.",
  },
);
export type TiersBody = Type.Static<typeof TiersBody>;

const VariantBody = Type.Object(
  {
    multiply: Type.Optional(Factor),
    price: Type.Optional(ChatPriceBody),
    tiers: Type.Optional(TiersBody),
  },
  {
    description:
      "Either a multiplier of every kind of token, or a price of its own with its own tiers.",
    examples: [{ multiply: "2" }],
  },
);
export type VariantBody = Type.Static<typeof VariantBody>;

const VariantsBody = Type.Record(Type.String(), VariantBody);

const ToolBody = Type.Object(
  {
    perCall: Type.Optional(Roubles),
    perRequest: Type.Optional(Roubles),
    maxCalls: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST_CALLS,
        description: "Calls that are held for where the caller names no bound.",
        examples: [5],
      }),
    ),
  },
  { description: "What a tool of the upstream's own costs." },
);

export const SurchargesBody = Type.Object(
  {
    serviceTier: Type.Optional(VariantsBody),
    speed: Type.Optional(VariantsBody),
    inferenceGeo: Type.Optional(VariantsBody),
    tools: Type.Optional(Type.Record(Type.String(), ToolBody)),
    free: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: "Fields and tools that are allowed without a price.",
      }),
    ),
  },
  {
    description:
      "What makes a request dearer, by the field of the request; a value that is not here is refused.",
  },
);
export type SurchargesBody = Type.Static<typeof SurchargesBody>;

/** All of it, as a model is described: amounts as the gateway counts with them. */
export interface ChatTariffBody extends ChatPriceBody {
  tiers?: TiersBody;
  surcharges?: SurchargesBody;
}
