/**
 * The answers of `POST /v1/chat/completions`: the upstream's own objects, so everything beyond the
 * core is open.
 */
import Type, { type TSchema } from "typebox";
import { nullableArray, nullableObject, nullableString } from "./nullable.ts";

/** Shares of a total, by their names at OpenAI; upstreams leave out or add some. */
function shares(names: readonly string[], description: string): TSchema {
  const properties = names.map((name): [string, TSchema] => [
    name,
    Type.Integer({ examples: [0] }),
  ]);
  return Type.Optional(nullableObject(Object.fromEntries(properties), { description }));
}

export const ChatUsage = Type.Object(
  {
    prompt_tokens: Type.Integer({
      description: "Tokens of the prompt, cached ones included.",
      examples: [12],
    }),
    completion_tokens: Type.Integer({
      description: "Tokens generated, reasoning included.",
      examples: [30],
    }),
    total_tokens: Type.Integer({ examples: [42] }),
    prompt_tokens_details: shares(
      ["cached_tokens", "cache_write_tokens", "audio_tokens", "image_tokens"],
      "Parts of prompt_tokens.",
    ),
    completion_tokens_details: shares(
      [
        "reasoning_tokens",
        "audio_tokens",
        "image_tokens",
        "accepted_prediction_tokens",
        "rejected_prediction_tokens",
      ],
      "Parts of completion_tokens.",
    ),
  },
  { description: "What the request is charged for." },
);

const FinishReason = nullableString({
  description:
    "stop, length (also when the balance ended the answer), tool_calls, content_filter or function_call; null while a stream goes on.",
  examples: ["stop"],
});

export const ChatToolCall = Type.Object(
  {
    id: Type.String({
      description: "What the tool message repeats as `tool_call_id`.",
      examples: ["call_7Qn2"],
    }),
    type: Type.Literal("function"),
    function: Type.Object({
      name: Type.String({ examples: ["get_weather"] }),
      arguments: Type.String({
        description: "A JSON text, as the model wrote it.",
        examples: ['{"city":"Tver"}'],
      }),
    }),
  },
  { description: "A tool that the model calls." },
);

const ToolCallPiece = Type.Object(
  {
    index: Type.Integer({ description: "Which call it belongs to." }),
    id: Type.Optional(Type.String({ description: "In the first piece of a call." })),
    type: Type.Optional(Type.Literal("function")),
    function: Type.Optional(
      Type.Object({
        name: Type.Optional(Type.String({ description: "In the first piece of a call." })),
        arguments: Type.Optional(Type.String({ description: "The next piece of the JSON text." })),
      }),
    ),
  },
  { description: "The next piece of a tool call." },
);

const head = {
  id: Type.String({ examples: ["chatcmpl-7Qn2"] }),
  created: Type.Integer({ description: "Unix time, seconds.", examples: [1763712000] }),
  model: Type.String({ examples: ["sandbox-large"] }),
};

export const ChatCompletion = Type.Object(
  {
    ...head,
    object: Type.Literal("chat.completion"),
    choices: Type.Array(
      Type.Object({
        index: Type.Integer(),
        message: Type.Object({
          role: Type.Literal("assistant"),
          content: nullableString({
            description: "The answer's text.",
            examples: ["Здравствуйте!"],
          }),
          refusal: Type.Optional(nullableString({ description: "The text of a refusal." })),
          tool_calls: Type.Optional(
            nullableArray(ChatToolCall, { description: "The tools that the model calls." }),
          ),
        }),
        finish_reason: FinishReason,
        logprobs: Type.Optional(nullableObject({}, { description: "Where asked for." })),
      }),
    ),
    usage: Type.Optional(ChatUsage),
  },
  { description: "A whole answer. Fields that are not listed come from the upstream as they are." },
);

export const ChatCompletionChunk = Type.Object(
  {
    ...head,
    object: Type.Literal("chat.completion.chunk"),
    choices: Type.Array(
      Type.Object({
        index: Type.Integer(),
        delta: Type.Object({
          role: Type.Optional(Type.String()),
          content: Type.Optional(
            nullableString({ description: "The next piece of the text.", examples: ["Здрав"] }),
          ),
          refusal: Type.Optional(nullableString({ description: "The next piece of a refusal." })),
          tool_calls: Type.Optional(
            nullableArray(ToolCallPiece, { description: "The next pieces of tool calls." }),
          ),
        }),
        finish_reason: Type.Optional(FinishReason),
      }),
      { description: "Empty in the usage chunk." },
    ),
    usage: Type.Optional(Type.Union([ChatUsage, Type.Null()])),
  },
  {
    description:
      "The data of one server-sent event; the stream ends with `data: [DONE]`, a failed one with an event that has `error`.",
  },
);
