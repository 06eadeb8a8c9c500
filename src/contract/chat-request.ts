/**
 * The body of `POST /v1/chat/completions`: only what contract §5 names or the gateway reads is
 * typed, the rest goes to the upstream as it is.
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

export const MOST_MODEL_CHARACTERS = 256;
/** Answers to one request. */
export const MOST_CHOICES = 128;
export const HIGHEST_TEMPERATURE = 2;

const ContentPart = Type.Object(
  {
    type: Type.String({
      description:
        "text, image_url, input_audio, file, refusal, or what the model's upstream knows besides",
      examples: ["text"],
    }),
    text: Type.Optional(nullableString({ description: "Of a text part." })),
    image_url: Type.Optional(
      Type.Unsafe<{ url?: string; detail?: string | null } | string | null>({
        type: ["object", "string", "null"],
        properties: {
          url: { type: "string", description: "http(s) URL or data URL of the image." },
          detail: nullableString({ description: "low, high or auto." }),
        },
        description: "Of an image_url part.",
      }),
    ),
  },
  { description: "One part of a message; other fields are passed on." },
);

const ToolCall = Type.Object(
  {
    id: Type.Optional(
      nullableString({ description: "The call's id, which the tool message repeats." }),
    ),
    type: Type.Optional(nullableString({ description: "function" })),
    function: Type.Optional(
      nullableObject(
        { name: nullableString({ description: "The function's name." }) },
        { description: "The function and its arguments (a JSON text)." },
      ),
    ),
  },
  { description: "A tool call that the assistant made in an earlier turn." },
);

const ChatMessage = Type.Object(
  {
    role: Type.Enum(["system", "user", "assistant", "developer", "tool", "function"], {
      description: "Who speaks.",
      examples: ["user"],
    }),
    content: Type.Optional(
      Type.Unsafe<string | Static<typeof ContentPart>[] | null>({
        type: ["string", "array", "null"],
        items: ContentPart,
        description:
          "The text, or a list of parts; null for an assistant turn that only calls tools.",
        examples: ["Привет!"],
      }),
    ),
    name: Type.Optional(nullableString({ description: "Tells speakers of the same role apart." })),
    tool_calls: Type.Optional(nullableArray(ToolCall, { description: "Of an assistant message." })),
    tool_call_id: Type.Optional(
      nullableString({ description: "Of a tool message: the call that it answers." }),
    ),
  },
  { description: "One message of the conversation; other fields are passed on." },
);

export const ChatRequestBody = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      maxLength: MOST_MODEL_CHARACTERS,
      description: "A chat model of `GET /v1/models`.",
      examples: ["sandbox-large"],
    }),
    messages: Type.Array(ChatMessage, {
      minItems: 1,
      description: "The conversation so far.",
      examples: [[{ role: "user", content: "Привет!" }]],
    }),
    max_tokens: Type.Optional(
      nullableInteger(
        { minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
        { description: "Maximum tokens in the answer.", examples: [1000] },
      ),
    ),
    max_completion_tokens: Type.Optional(
      nullableInteger(
        { minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
        {
          description:
            "The newer name of max_tokens; wins when both are given. Includes reasoning tokens.",
        },
      ),
    ),
    temperature: Type.Optional(
      nullableNumber(
        { minimum: 0, maximum: HIGHEST_TEMPERATURE },
        { description: "Sampling temperature.", default: 1 },
      ),
    ),
    n: Type.Optional(
      nullableInteger(
        { minimum: 1, maximum: MOST_CHOICES },
        { description: "How many answers; each is charged.", default: 1 },
      ),
    ),
    stream: Type.Optional(
      nullableBoolean({ description: "true answers with server-sent events.", default: false }),
    ),
    stream_options: Type.Optional(
      nullableObject(
        {
          include_usage: nullableBoolean({
            description: "true adds a last chunk that carries the usage.",
          }),
        },
        { description: "Options of a streamed answer." },
      ),
    ),
    tools: Type.Optional(
      nullableArray(Type.Object({}), {
        description: "Tools that the model may call; their schemas count as prompt.",
      }),
    ),
    tool_choice: Type.Optional(Type.Unknown({ description: "none, auto, required, or one tool." })),
    parallel_tool_calls: Type.Optional(
      Type.Unknown({ description: "Whether several tools may be called in one turn." }),
    ),
    response_format: Type.Optional(
      Type.Unknown({
        description: "text, json_object, or a JSON Schema that the answer keeps to.",
      }),
    ),
    reasoning_effort: Type.Optional(
      Type.Unknown({ description: "How much a reasoning model thinks." }),
    ),
    stop: Type.Optional(
      Type.Unknown({ description: "Text, or a list of texts, at which the answer ends." }),
    ),
    top_p: Type.Optional(Type.Unknown({ description: "Nucleus sampling." })),
    seed: Type.Optional(Type.Unknown({ description: "Asks for a repeatable answer." })),
    logprobs: Type.Optional(
      Type.Unknown({ description: "Adds the log probabilities of the tokens." }),
    ),
  },
  {
    description:
      "A chat completions request. Fields that are not listed are passed to the upstream as they are.",
    examples: [
      { model: "sandbox-large", messages: [{ role: "user", content: "Привет!" }], stream: true },
    ],
  },
);

export type ChatRequestBody = Static<typeof ChatRequestBody>;
