/**
 * The bodies of `POST /v1/messages` and `POST /v1/messages/count_tokens`: only what the gateway
 * reads is typed, the rest goes to the upstream as it is.
 */
import Type, { type Static } from "typebox";
import {
  nullableArray,
  nullableBoolean,
  nullableInteger,
  nullableNumber,
  nullableObject,
  nullableString,
} from "./nullable.ts";

const CacheControl = nullableObject(
  {
    type: nullableString({ description: "ephemeral" }),
    ttl: nullableString({ description: "5m or 1h.", default: "5m" }),
  },
  { description: "The prompt up to here may be kept in the upstream's cache." },
);

const ContentBlock = Type.Object(
  {
    type: Type.String({
      description:
        "text, image, document, search_result, thinking, redacted_thinking, tool_use, tool_result, or what the model's upstream knows besides",
      examples: ["text"],
    }),
    text: Type.Optional(nullableString({ description: "Of a text block." })),
    source: Type.Optional(
      Type.Unknown({
        description:
          "Of an image or document: `{type: base64, media_type, data}`, `{type: url, url}` and others.",
      }),
    ),
    id: Type.Optional(
      nullableString({ description: "Of a tool_use block: what the tool_result repeats." }),
    ),
    name: Type.Optional(nullableString({ description: "Of a tool_use block: the tool." })),
    input: Type.Optional(
      Type.Unknown({ description: "Of a tool_use block: the arguments, an object." }),
    ),
    tool_use_id: Type.Optional(
      nullableString({ description: "Of a tool_result block: the call that it answers." }),
    ),
    content: Type.Optional(
      Type.Unknown({ description: "Of a tool_result block: text, or a list of blocks." }),
    ),
    is_error: Type.Optional(
      nullableBoolean({ description: "Of a tool_result block: the tool failed." }),
    ),
    cache_control: Type.Optional(CacheControl),
  },
  { description: "One block of a message; other fields are passed on." },
);

const Message = Type.Object(
  {
    role: Type.Enum(["user", "assistant", "system"], {
      description: "Who speaks.",
      examples: ["user"],
    }),
    content: Type.Unsafe<string | Static<typeof ContentBlock>[]>({
      type: ["string", "array"],
      items: ContentBlock,
      description: "The text, or a list of blocks.",
      examples: ["Привет!"],
    }),
  },
  { description: "One message of the conversation; other fields are passed on." },
);

const shared = {
  model: Type.String({
    minLength: 1,
    maxLength: 256,
    description: "A chat model of `GET /v1/models`, or the id of a family.",
    examples: ["sandbox-large"],
  }),
  messages: Type.Array(Message, {
    minItems: 1,
    description: "The conversation so far.",
    examples: [[{ role: "user", content: "Привет!" }]],
  }),
  system: Type.Optional(
    Type.Unsafe<string | Static<typeof ContentBlock>[] | null>({
      type: ["string", "array", "null"],
      items: ContentBlock,
      description:
        "What the model is told before the conversation: the text, or a list of text blocks.",
    }),
  ),
  tools: Type.Optional(
    nullableArray(Type.Object({}), {
      description: "Tools that the model may call; their schemas count as prompt.",
    }),
  ),
  tool_choice: Type.Optional(
    Type.Unknown({ description: "`{type: auto}`, any, none, or tool with its name." }),
  ),
  thinking: Type.Optional(
    nullableObject(
      {},
      {
        description:
          "`{type: enabled, budget_tokens}`, adaptive or disabled. What is thought counts as output.",
      },
    ),
  ),
  output_config: Type.Optional(
    nullableObject(
      {},
      {
        description:
          "`format`: a JSON Schema that the answer keeps to; `effort`: how hard the model tries.",
      },
    ),
  ),
  cache_control: Type.Optional(CacheControl),
};

export const MessagesRequestBody = Type.Object(
  {
    ...shared,
    max_tokens: Type.Integer({
      // Zero fills the upstream's prompt cache and generates nothing.
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "Maximum tokens in the answer, thinking included.",
      examples: [1000],
    }),
    stream: Type.Optional(
      nullableBoolean({ description: "true answers with server-sent events.", default: false }),
    ),
    temperature: Type.Optional(
      nullableNumber(
        { minimum: 0, maximum: 1 },
        { description: "Sampling temperature.", default: 1 },
      ),
    ),
    top_p: Type.Optional(Type.Unknown({ description: "Nucleus sampling." })),
    top_k: Type.Optional(
      Type.Unknown({ description: "Samples from the likeliest k tokens only." }),
    ),
    stop_sequences: Type.Optional(
      nullableArray(Type.String(), { description: "Texts at which the answer ends." }),
    ),
    metadata: Type.Optional(
      nullableObject(
        { user_id: nullableString({ description: "An opaque name of your user." }) },
        { description: "What describes the request." },
      ),
    ),
  },
  {
    description:
      "A messages request. Fields that are not listed are passed to the upstream as they are.",
    examples: [
      {
        model: "sandbox-large",
        max_tokens: 1000,
        messages: [{ role: "user", content: "Привет!" }],
        stream: true,
      },
    ],
  },
);

export type MessagesRequestBody = Static<typeof MessagesRequestBody>;

export const CountTokensRequestBody = Type.Object(
  {
    ...shared,
    max_tokens: Type.Optional(
      nullableInteger(
        { minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
        { description: "Of no meaning here; accepted." },
      ),
    ),
  },
  {
    description: "The same request, to be counted and not answered.",
    examples: [{ model: "sandbox-large", messages: [{ role: "user", content: "Привет!" }] }],
  },
);

export type CountTokensRequestBody = Static<typeof CountTokensRequestBody>;
