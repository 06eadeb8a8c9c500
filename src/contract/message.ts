/**
 * The answers of `POST /v1/messages` and `POST /v1/messages/count_tokens`: the upstream's own
 * objects, so everything beyond the core is open.
 */
import Type from "typebox";
import { nullableArray, nullableInteger, nullableObject, nullableString } from "./nullable.ts";

export const MessageUsage = Type.Object(
  {
    input_tokens: Type.Integer({
      description: "Prompt tokens that were neither read from nor written to a cache.",
      examples: [12],
    }),
    cache_creation_input_tokens: Type.Optional(
      nullableInteger({ minimum: 0 }, { description: "Prompt tokens written to a cache." }),
    ),
    cache_read_input_tokens: Type.Optional(
      nullableInteger({ minimum: 0 }, { description: "Prompt tokens read from a cache." }),
    ),
    cache_creation: Type.Optional(
      nullableObject(
        {
          ephemeral_5m_input_tokens: Type.Integer({ examples: [0] }),
          ephemeral_1h_input_tokens: Type.Integer({ examples: [0] }),
        },
        { description: "The written ones by how long they live." },
      ),
    ),
    output_tokens: Type.Integer({
      description: "Tokens generated, thinking included.",
      examples: [30],
    }),
    output_tokens_details: Type.Optional(
      nullableObject(
        { thinking_tokens: Type.Integer({ examples: [0] }) },
        { description: "Parts of output_tokens." },
      ),
    ),
    server_tool_use: Type.Optional(
      nullableObject(
        {
          web_search_requests: Type.Integer({ examples: [0] }),
          web_fetch_requests: Type.Integer({ examples: [0] }),
        },
        { description: "Calls of the vendor's own tools." },
      ),
    ),
  },
  { description: "What the request is charged for: the sum of all four kinds of tokens." },
);

const StopReason = nullableString({
  description:
    "end_turn, max_tokens (also when the balance ended the answer), stop_sequence, tool_use, pause_turn, refusal or model_context_window_exceeded; null while a stream goes on.",
  examples: ["end_turn"],
});

const TextBlock = Type.Object({
  type: Type.Literal("text"),
  text: Type.String({ examples: ["Здравствуйте!"] }),
  citations: Type.Optional(
    nullableArray(Type.Object({}), { description: "Where the text comes from." }),
  ),
});

const ThinkingBlock = Type.Object({
  type: Type.Literal("thinking"),
  thinking: Type.String(),
  signature: Type.Optional(
    Type.String({ description: "Has to come back with the block in the next turn." }),
  ),
});

const RedactedThinkingBlock = Type.Object({
  type: Type.Literal("redacted_thinking"),
  data: Type.String(),
});

const ToolUseBlock = Type.Object(
  {
    type: Type.Enum(["tool_use", "server_tool_use", "mcp_tool_use"]),
    id: Type.String({
      description: "What the tool_result repeats as `tool_use_id`.",
      examples: ["toolu_7Qn2"],
    }),
    name: Type.String({ examples: ["get_weather"] }),
    input: Type.Record(Type.String(), Type.Unknown(), {
      description: "The arguments.",
      examples: [{ city: "Tver" }],
    }),
  },
  { description: "A tool that the model calls; all but `tool_use` are called by the vendor." },
);

const ServerResultBlock = Type.Object(
  {
    type: Type.Enum([
      "web_search_tool_result",
      "web_fetch_tool_result",
      "code_execution_tool_result",
      "bash_code_execution_tool_result",
      "text_editor_code_execution_tool_result",
      "tool_search_tool_result",
      "mcp_tool_result",
      "container_upload",
    ]),
    tool_use_id: Type.Optional(Type.String()),
    content: Type.Optional(Type.Unknown()),
  },
  { description: "What a tool of the vendor answered." },
);

export const ContentBlock = Type.Union(
  [TextBlock, ThinkingBlock, RedactedThinkingBlock, ToolUseBlock, ServerResultBlock],
  {
    description: "One block of what was generated.",
  },
);

export const Message = Type.Object(
  {
    id: Type.String({ examples: ["msg_7Qn2"] }),
    type: Type.Literal("message"),
    role: Type.Literal("assistant"),
    model: Type.String({ examples: ["sandbox-large"] }),
    content: Type.Array(ContentBlock, { description: "What was generated, in order." }),
    stop_reason: StopReason,
    stop_sequence: nullableString({ description: "The stop sequence that was hit." }),
    usage: MessageUsage,
  },
  { description: "A whole answer. Fields that are not listed come from the upstream as they are." },
);

const Delta = Type.Union(
  [
    Type.Object({ type: Type.Literal("text_delta"), text: Type.String({ examples: ["Здрав"] }) }),
    Type.Object({ type: Type.Literal("thinking_delta"), thinking: Type.String() }),
    Type.Object({ type: Type.Literal("signature_delta"), signature: Type.String() }),
    Type.Object({
      type: Type.Literal("input_json_delta"),
      partial_json: Type.String({
        description: "The next piece of a tool's arguments, a JSON text.",
      }),
    }),
    Type.Object({ type: Type.Literal("citations_delta"), citation: Type.Object({}) }),
  ],
  { description: "The next piece of the block." },
);

const place = { index: Type.Integer({ description: "The block's place in `content`." }) };

export const MessageEvent = Type.Union(
  [
    Type.Object(
      { type: Type.Literal("message_start"), message: Message },
      { description: "The message, still without content." },
    ),
    Type.Object(
      { type: Type.Literal("content_block_start"), ...place, content_block: ContentBlock },
      { description: "The block, still without its text." },
    ),
    Type.Object({ type: Type.Literal("content_block_delta"), ...place, delta: Delta }),
    Type.Object({ type: Type.Literal("content_block_stop"), ...place }),
    Type.Object({
      type: Type.Literal("message_delta"),
      delta: Type.Object({
        stop_reason: StopReason,
        stop_sequence: Type.Optional(
          nullableString({ description: "The stop sequence that was hit." }),
        ),
      }),
      usage: Type.Object(
        {
          input_tokens: Type.Optional(
            nullableInteger({ minimum: 0 }, { description: "As in the message's usage." }),
          ),
          cache_creation_input_tokens: Type.Optional(
            nullableInteger({ minimum: 0 }, { description: "As in the message's usage." }),
          ),
          cache_read_input_tokens: Type.Optional(
            nullableInteger({ minimum: 0 }, { description: "As in the message's usage." }),
          ),
          output_tokens: Type.Integer({ examples: [30] }),
        },
        { description: "The totals of the message so far; they replace earlier ones." },
      ),
    }),
    Type.Object({ type: Type.Literal("message_stop") }),
    Type.Object({ type: Type.Literal("ping") }),
    Type.Object(
      {
        type: Type.Literal("error"),
        error: Type.Object({ type: Type.String(), message: Type.String() }),
      },
      { description: "Nothing comes after it." },
    ),
  ],
  { description: "The data of one server-sent event; its `event:` line repeats the type." },
);

export const MessageTokens = Type.Object(
  {
    input_tokens: Type.Integer({
      description: "Tokens of the prompt. What is charged is what the answer's usage says.",
      examples: [12],
    }),
  },
  { description: "How many tokens a prompt has." },
);
