/** `GET /v1/models` and `GET /v1/models/{id}` in both protocols' shapes (contract §5). */
import Type, { type TSchema } from "typebox";
import { CHAT_ENDPOINTS } from "./enums/chat-endpoint.ts";
import { REQUEST_KINDS } from "./enums/request-kind.ts";
import { SurchargesBody, TiersBody } from "./price/tariff-body.ts";
import { Currency, moment, roubles } from "./money.ts";

const PLAIN_AMOUNT = roubles("For one unit.", "4.5");

/** A table by a parameter of the task, whose values may be tables by another. */
function amountTable(levels: number): TSchema {
  if (levels === 0) return PLAIN_AMOUNT;
  const values = Type.Record(Type.String(), amountTable(levels - 1), {
    description: "By its value.",
  });
  return Type.Union([
    PLAIN_AMOUNT,
    Type.Object({
      by: Type.String({ description: "A parameter.", examples: ["resolution"] }),
      values,
    }),
  ]);
}

/** Of a model that makes images: by parameters of the request, one level for each. */
const ImageTable = Type.Object(
  {
    by: Type.Array(Type.String(), { examples: [["size", "quality"]] }),
    values: Type.Record(Type.String(), Type.Unknown(), {
      examples: [{ "1024x1024": { low: "1", high: "15" } }],
    }),
  },
  { description: "Each image, by size and quality." },
);

/** Deeper than any of the tables has parameters that change a price. */
const AMOUNT_LEVELS = 3;

const TaskMultiplier = Type.Object({
  when: Type.Record(
    Type.String(),
    Type.Unsafe<string | number | boolean>({ type: ["string", "number", "boolean"] }),
    {
      description: "Parameters and the values that they all have, as a body has them.",
      examples: [{ generateAudio: true }],
    },
  ),
  by: Type.String({ description: "A decimal.", examples: ["2"] }),
});

export const ModelPrice = Type.Object(
  {
    currency: Currency,
    unit: Type.String({
      description:
        "What is paid for: `1M tokens` of chat and wherever tokens are counted, `request`, `1K documents`, `1M characters`, `second`, `image`; of a task its own unit.",
      examples: ["1M tokens"],
    }),
    input: Type.Optional(roubles("Prompt tokens.", "150")),
    cachedInput: Type.Optional(roubles("Prompt tokens read from a cache.", "15")),
    cacheWrite5m: Type.Optional(
      roubles(
        "Prompt tokens written to a five-minute cache; absent: requests that ask for it are refused.",
        "187.5",
      ),
    ),
    cacheWrite1h: Type.Optional(
      roubles(
        "Prompt tokens written to a one-hour cache; absent: requests that ask for it are refused.",
        "300",
      ),
    ),
    imageInput: Type.Optional(
      roubles("Prompt tokens of images, where they are priced apart.", "150"),
    ),
    audioInput: Type.Optional(
      roubles("Prompt tokens of audio; absent: requests with audio are refused.", "1200"),
    ),
    documents1000: Type.Optional(roubles("1,000 documents that are ranked.", "10")),
    characters1M: Type.Optional(roubles("1M characters that are spoken.", "1500")),
    second: Type.Optional(roubles("One second of sound.", "0.01")),
    output: Type.Optional(roubles("Generated tokens.", "600")),
    reasoning: Type.Optional(roubles("Reasoning tokens, where they are priced apart.", "600")),
    audioOutput: Type.Optional(
      roubles("Generated tokens of audio; absent: requests for audio are refused.", "2400"),
    ),
    imageOutput: Type.Optional(
      roubles("Generated tokens of images; absent: requests for images are refused.", "2400"),
    ),
    image: Type.Optional(
      Type.Union([
        roubles("Each input image of a chat; each image that is made.", "0"),
        ImageTable,
      ]),
    ),
    request: Type.Optional(roubles("Each request.", "0")),
    tiers: Type.Optional(TiersBody),
    surcharges: Type.Optional(SurchargesBody),
    quantity: Type.Optional(
      Type.String({
        description: "Of a task: the parameter that says how many units, or a number.",
        examples: ["duration"],
      }),
    ),
    amount: Type.Optional(amountTable(AMOUNT_LEVELS)),
    multiply: Type.Optional(
      Type.Array(TaskMultiplier, {
        description: "Of a task: every multiplier whose condition holds counts.",
      }),
    ),
  },
  {
    description:
      "The price in force: of a chat model by kinds of tokens, of a task model the amount for a unit times the quantity.",
  },
);

/** What every entry says beyond its protocol. */
const ours = {
  endpoints: Type.Array(Type.String(), {
    description: "Where the model is served.",
    examples: [[...CHAT_ENDPOINTS]],
  }),
  parameters: Type.Optional(
    Type.String({
      description: "Of a task model: the parameter table, T1 to T19.",
      examples: ["T9"],
    }),
  ),
  price: ModelPrice,
};

export const OpenAiModel = Type.Object(
  {
    id: Type.String({ examples: ["sandbox-large"] }),
    object: Type.Literal("model"),
    created: Type.Integer({
      description: "Since when it is listed: Unix time, seconds.",
      examples: [1763712000],
    }),
    owned_by: Type.String({ examples: ["tollgate"] }),
    type: Type.Enum([...REQUEST_KINDS]),
    ...ours,
    context_length: Type.Optional(
      Type.Integer({
        description:
          "Of a chat or a completion model: prompt and answer together, tokens; of an embedding model the longest input.",
        examples: [200000],
      }),
    ),
    max_output_tokens: Type.Optional(
      Type.Integer({
        description: "Of a chat model: the longest answer, tokens.",
        examples: [32000],
      }),
    ),
  },
  { description: "One model, in OpenAI's shape." },
);

export const OpenAiModelList = Type.Object(
  { object: Type.Literal("list"), data: Type.Array(OpenAiModel) },
  { description: "All models of the key, in OpenAI's shape." },
);

export const AnthropicModel = Type.Object(
  {
    type: Type.Literal("model", {
      description: "The Messages protocol's own word; model_type says what it is asked for.",
    }),
    id: Type.String({ examples: ["sandbox-large"] }),
    display_name: Type.String({ examples: ["Sandbox Large"] }),
    created_at: moment("Since when it is listed."),
    model_type: Type.Enum([...REQUEST_KINDS]),
    ...ours,
    max_input_tokens: Type.Optional(Type.Integer({ examples: [200000] })),
    max_tokens: Type.Optional(Type.Integer({ examples: [32000] })),
  },
  {
    description:
      "One model, in the Messages protocol's shape (chosen by the anthropic-version header).",
  },
);

export const AnthropicModelList = Type.Object(
  {
    data: Type.Array(AnthropicModel),
    has_more: Type.Boolean(),
    first_id: Type.Union([Type.String(), Type.Null()]),
    last_id: Type.Union([Type.String(), Type.Null()]),
  },
  { description: "A page of models, in the Messages protocol's shape." },
);
