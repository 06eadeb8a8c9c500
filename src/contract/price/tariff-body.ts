/**
 * A chat tariff as it is written: in the catalogue file, in the list of models, for the panel. One
 * schema for all of them.
 */
import Type from "typebox";

/**
 * Decimal roubles, and decimal factors: who reads them from a file tells the two apart by
 * `x-amount`.
 */
export function roublesText(what: string) {
  return Type.String({
    "x-amount": "roubles",
    description: `Decimal roubles: ${what}.`,
    examples: ["150"],
  });
}
export const Factor = Type.String({
  "x-amount": "factor",
  description: "A positive decimal.",
  examples: ["2"],
});

const MOST_PROMPT_TOKENS = 100_000_000;
const MOST_CALLS = 1_000;

const kinds = {
  input: roublesText("1M tokens of the prompt"),
  cachedInput: Type.Optional(roublesText("1M tokens that are read from a cache")),
  cacheWrite5m: Type.Optional(roublesText("1M tokens written to a cache for five minutes")),
  cacheWrite1h: Type.Optional(roublesText("1M tokens written to a cache for an hour")),
  imageInput: Type.Optional(roublesText("1M tokens of images in the prompt")),
  audioInput: Type.Optional(roublesText("1M tokens of audio in the prompt")),
  output: roublesText("1M tokens of the answer"),
  reasoning: Type.Optional(roublesText("1M tokens of reasoning")),
  audioOutput: Type.Optional(roublesText("1M tokens of audio in the answer")),
  imageOutput: Type.Optional(roublesText("1M tokens of images in the answer")),
  image: Type.Optional(roublesText("one image")),
  request: Type.Optional(roublesText("one request")),
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
      description: "A prompt of more tokens costs this.",
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

function variantsOf(field: string) {
  return Type.Optional(
    Type.Record(Type.String(), VariantBody, { description: `By value of ${field}.` }),
  );
}

const ToolBody = Type.Object(
  {
    perCall: Type.Optional(roublesText("one call of it")),
    perRequest: Type.Optional(roublesText("a request that offers it")),
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
    serviceTier: variantsOf("serviceTier"),
    speed: variantsOf("speed"),
    inferenceGeo: variantsOf("inferenceGeo"),
    tools: Type.Optional(
      Type.Record(Type.String(), ToolBody, { description: "The upstream's own, by type." }),
    ),
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
