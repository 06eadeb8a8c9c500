/** The answers of `POST /v1/messages` and `POST /v1/messages/count_tokens`: the upstream's own objects, so everything beyond the core is open. */
import Type from "typebox";
import { nullableInteger, nullableObject, nullableString } from "./nullable.ts";

const MessageUsage = Type.Object(
  {
    input_tokens: Type.Integer({ description: "Prompt tokens that were neither read from nor written to a cache.", examples: [12] }),
    cache_creation_input_tokens: Type.Optional(nullableInteger({ minimum: 0 }, { description: "Prompt tokens written to a cache." })),
    cache_read_input_tokens: Type.Optional(nullableInteger({ minimum: 0 }, { description: "Prompt tokens read from a cache." })),
    cache_creation: Type.Optional(
      nullableObject(
        {},
        { description: "ephemeral_5m_input_tokens and ephemeral_1h_input_tokens: the written ones by how long they live." },
      ),
    ),
    output_tokens: Type.Integer({ description: "Tokens generated, thinking included.", examples: [30] }),
    output_tokens_details: Type.Optional(nullableObject({}, { description: "thinking_tokens; a part of output_tokens." })),
  },
  { description: "What the request is charged for: the sum of all four kinds of tokens." },
);

const StopReason = nullableString({
  description:
    "end_turn, max_tokens (also when the balance ended the answer), stop_sequence, tool_use, pause_turn, refusal or model_context_window_exceeded; null while a stream goes on.",
  examples: ["end_turn"],
});

export const Message = Type.Object(
  {
    id: Type.String({ examples: ["msg_7Qn2"] }),
    type: Type.Literal("message"),
    role: Type.Literal("assistant"),
    model: Type.String({ examples: ["sandbox-large"] }),
    content: Type.Array(
      Type.Object({
        type: Type.String({ description: "text, thinking, redacted_thinking, tool_use and others.", examples: ["text"] }),
        text: Type.Optional(Type.String({ description: "Of a text block.", examples: ["Здравствуйте!"] })),
      }),
      { description: "What was generated, in order." },
    ),
    stop_reason: StopReason,
    stop_sequence: nullableString({ description: "The stop sequence that was hit." }),
    usage: MessageUsage,
  },
  { description: "A whole answer. Fields that are not listed come from the upstream as they are." },
);

export const MessageEvent = Type.Object(
  {
    type: Type.String({
      description:
        "message_start, content_block_start, content_block_delta, content_block_stop, message_delta, message_stop, ping, or error, after which nothing comes.",
      examples: ["content_block_delta"],
    }),
    message: Type.Optional(Type.Object({}, { description: "Of message_start: the message without content." })),
    index: Type.Optional(Type.Integer({ description: "Of a content_block event: the block's place in `content`." })),
    content_block: Type.Optional(Type.Object({}, { description: "Of content_block_start: the block without its text." })),
    delta: Type.Optional(
      Type.Object(
        {},
        { description: "Of content_block_delta: the next piece of the block; of message_delta: stop_reason and stop_sequence." },
      ),
    ),
    usage: Type.Optional(
      Type.Object({}, { description: "Of message_delta: the totals of the message so far; they replace earlier ones." }),
    ),
  },
  { description: "The data of one server-sent event; its `event:` line repeats the type." },
);

export const MessageTokens = Type.Object(
  { input_tokens: Type.Integer({ description: "Tokens of the prompt. What is charged is what the answer's usage says.", examples: [12] }) },
  { description: "How many tokens a prompt has." },
);
