/** `GET /v1/models` and `GET /v1/models/{id}` in both protocols' shapes (contract §5). */
import Type from "typebox";
import { Currency, moment, roubles } from "./money.ts";

export const ModelPrice = Type.Object(
  {
    currency: Currency,
    unit: Type.String({ description: "What input and output are counted by: `1M tokens` for chat.", examples: ["1M tokens"] }),
    input: Type.Optional(roubles("Prompt tokens.", "150")),
    cachedInput: Type.Optional(roubles("Prompt tokens read from a cache.", "15")),
    cacheWrite5m: Type.Optional(roubles("Prompt tokens written to a five-minute cache.", "187.5")),
    cacheWrite1h: Type.Optional(roubles("Prompt tokens written to a one-hour cache.", "300")),
    output: Type.Optional(roubles("Generated tokens.", "600")),
    reasoning: Type.Optional(roubles("Reasoning tokens, where they are priced apart.", "600")),
    image: Type.Optional(roubles("Each input image.", "0")),
    request: Type.Optional(roubles("Each request.", "0")),
  },
  { description: "The price in force. Fields that are not listed belong to task models." },
);

/** What every entry says beyond its protocol. */
const ours = {
  endpoints: Type.Array(Type.String(), { description: "Where the model is served.", examples: [["chat.completions", "messages"]] }),
  parameters: Type.Optional(Type.String({ description: "Of a task model: the parameter table, T1 to T19.", examples: ["T9"] })),
  price: ModelPrice,
};

export const OpenAiModel = Type.Object(
  {
    id: Type.String({ examples: ["sandbox-large"] }),
    object: Type.Literal("model"),
    created: Type.Integer({ description: "Unix time, seconds.", examples: [1763712000] }),
    owned_by: Type.String({ examples: ["tollgate"] }),
    type: Type.Enum(["chat", "task"]),
    ...ours,
    context_length: Type.Optional(
      Type.Integer({ description: "Of a chat model: prompt and answer together, tokens.", examples: [200000] }),
    ),
    max_output_tokens: Type.Optional(Type.Integer({ description: "Of a chat model: the longest answer, tokens.", examples: [32000] })),
  },
  { description: "One model, in OpenAI's shape." },
);

export const OpenAiModelList = Type.Object(
  { object: Type.Literal("list"), data: Type.Array(OpenAiModel) },
  { description: "All models of the key, in OpenAI's shape." },
);

export const AnthropicModel = Type.Object(
  {
    type: Type.Literal("model", { description: "The Messages protocol's own word; model_type says chat or task." }),
    id: Type.String({ examples: ["sandbox-large"] }),
    display_name: Type.String({ examples: ["Sandbox Large"] }),
    created_at: moment("When the model was listed."),
    model_type: Type.Enum(["chat", "task"]),
    ...ours,
    max_input_tokens: Type.Optional(Type.Integer({ examples: [200000] })),
    max_tokens: Type.Optional(Type.Integer({ examples: [32000] })),
  },
  { description: "One model, in the Messages protocol's shape (chosen by the anthropic-version header)." },
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
