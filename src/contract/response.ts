/**
 * The answers of `POST /v1/responses`: a response, whole or as the events that it is made of. An
 * upstream of the same protocol may add fields, so everything beyond the core is open.
 */
import Type, { type TSchema } from "typebox";
import { nullableInteger, nullableObject, nullableString } from "./nullable.ts";

export const ResponseUsage = Type.Object(
  {
    input_tokens: Type.Integer({
      description: "Tokens of the prompt, cached ones included.",
      examples: [12],
    }),
    input_tokens_details: Type.Object(
      { cached_tokens: Type.Integer({ examples: [0] }) },
      { description: "Parts of input_tokens." },
    ),
    output_tokens: Type.Integer({
      description: "Tokens generated, reasoning included.",
      examples: [30],
    }),
    output_tokens_details: Type.Object(
      { reasoning_tokens: Type.Integer({ examples: [0] }) },
      { description: "Parts of output_tokens." },
    ),
    total_tokens: Type.Integer({ examples: [42] }),
  },
  { description: "What the request is charged for." },
);

const ResponseItem = Type.Object(
  {
    type: Type.String({
      description:
        "message, reasoning, function_call, custom_tool_call, tool_search_call, or what the model's upstream knows besides",
      examples: ["message"],
    }),
    id: Type.Optional(Type.String({ examples: ["msg_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b0000"] })),
    status: Type.Optional(
      Type.String({
        description: "in_progress, completed or incomplete.",
        examples: ["completed"],
      }),
    ),
    role: Type.Optional(Type.String({ description: "Of a message: assistant." })),
    content: Type.Optional(
      Type.Unknown({
        description: "Of a message: its parts, of type output_text (`text`) or refusal.",
      }),
    ),
    summary: Type.Optional(Type.Unknown({ description: "Of reasoning: its words, in parts." })),
    encrypted_content: Type.Optional(
      nullableString({
        description: "Of reasoning: what the next request gives back, as it is.",
      }),
    ),
    call_id: Type.Optional(
      nullableString({
        description: "Of a call: what its output repeats.",
        examples: ["call_7Qn2"],
      }),
    ),
    name: Type.Optional(Type.String({ description: "Of a call: the tool." })),
    namespace: Type.Optional(
      nullableString({ description: "Of a call: the namespace of the tool, where it has one." }),
    ),
    arguments: Type.Optional(
      Type.Unknown({ description: "Of a function_call: a JSON text, as the model wrote it." }),
    ),
    input: Type.Optional(Type.String({ description: "Of a custom_tool_call: its text." })),
  },
  { description: "One item of the output." },
);

const echo = (description: string) => Type.Unknown({ description });

export const Response = Type.Object(
  {
    id: Type.String({ examples: ["resp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b"] }),
    object: Type.Literal("response"),
    created_at: Type.Number({ description: "Unix time, seconds.", examples: [1763712000] }),
    completed_at: Type.Optional(
      Type.Unsafe<number | null>({
        type: ["number", "null"],
        description: "Unix time, seconds; null while it is not completed.",
      }),
    ),
    status: Type.String({
      description: "in_progress, completed, incomplete or failed.",
      examples: ["completed"],
    }),
    error: Type.Optional(
      nullableObject(
        { code: Type.String(), message: Type.String() },
        { description: "Of a failed response." },
      ),
    ),
    incomplete_details: Type.Optional(
      nullableObject(
        { reason: Type.String() },
        {
          description:
            "Of an incomplete response: `reason` is max_output_tokens, also when the balance ended the answer.",
        },
      ),
    ),
    model: Type.String({ examples: ["sandbox-large"] }),
    output: Type.Array(ResponseItem, { description: "What the model has said, in order." }),
    usage: Type.Optional(Type.Union([ResponseUsage, Type.Null()])),
    instructions: Type.Optional(echo("As asked.")),
    max_output_tokens: Type.Optional(nullableInteger({}, { description: "As asked." })),
    tools: Type.Optional(echo("The tools that the model had.")),
    tool_choice: Type.Optional(echo("As asked.")),
    text: Type.Optional(echo("As asked.")),
    reasoning: Type.Optional(echo("As asked.")),
    metadata: Type.Optional(echo("As asked.")),
  },
  {
    description:
      "A response. All that was asked stands in it again; fields that are not listed come from the upstream as they are.",
  },
);

const optional = (schema: TSchema) => Type.Optional(schema);

export const ResponseEvent = Type.Object(
  {
    type: Type.String({
      description:
        "response.created, response.in_progress, response.output_item.added, response.content_part.added, response.output_text.delta, response.output_text.done, response.content_part.done, response.output_item.done …, and at the end one of response.completed, response.incomplete and response.failed",
      examples: ["response.output_text.delta"],
    }),
    sequence_number: optional(
      Type.Integer({ description: "Grows by one with each event.", examples: [4] }),
    ),
    response: optional(Response),
    output_index: optional(Type.Integer({ description: "Which item it belongs to." })),
    item: optional(ResponseItem),
    item_id: optional(Type.String()),
    content_index: optional(Type.Integer({ description: "Which part of a message." })),
    summary_index: optional(Type.Integer({ description: "Which part of reasoning." })),
    delta: optional(
      Type.Unknown({ description: "The next piece of a text.", examples: ["Здрав"] }),
    ),
  },
  { description: "The data of one server-sent event." },
);
