/**
 * The body of `POST /v1/responses`: only what the gateway reads is typed, the rest goes to an
 * upstream of the same protocol as it is.
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

const InputPart = Type.Object(
  {
    type: Type.String({
      description: "input_text, input_image, input_file, output_text or refusal",
      examples: ["input_text"],
    }),
    text: Type.Optional(nullableString({ description: "Of a text." })),
    image_url: Type.Optional(
      Type.Unknown({ description: "Of an image: its http(s) URL or data URL." }),
    ),
    file_data: Type.Optional(nullableString({ description: "Of a file: a data URL in base64." })),
    file_url: Type.Optional(nullableString({ description: "Of a file: its http(s) URL." })),
    filename: Type.Optional(nullableString({ description: "Of a file." })),
  },
  { description: "One part of a message or of a tool's output; other fields are passed on." },
);

const content = (description: string) =>
  Type.Unsafe<string | Static<typeof InputPart>[] | null>({
    type: ["string", "array", "null"],
    items: InputPart,
    description,
    examples: ["Привет!"],
  });

const InputItem = Type.Object(
  {
    type: Type.Optional(
      nullableString({
        description:
          "message (or left out), reasoning, function_call, function_call_output, custom_tool_call, custom_tool_call_output, tool_search_call, tool_search_output, compaction, or what the model's upstream knows besides.",
        examples: ["message"],
      }),
    ),
    role: Type.Optional(
      nullableString({
        description: "Of a message: user, assistant, system or developer.",
        examples: ["user"],
      }),
    ),
    content: Type.Optional(
      Type.Unsafe<unknown>({
        type: ["string", "array", "null"],
        description: "Of a message: the text, or a list of parts.",
        examples: ["Привет!"],
      }),
    ),
    call_id: Type.Optional(
      nullableString({ description: "Of a call and of its output: what ties them together." }),
    ),
    name: Type.Optional(nullableString({ description: "Of a call: the tool." })),
    namespace: Type.Optional(
      nullableString({ description: "Of a call: the namespace of the tool, where it has one." }),
    ),
    arguments: Type.Optional(
      Type.Unknown({ description: "Of a function_call: a JSON text, as the model wrote it." }),
    ),
    input: Type.Optional(nullableString({ description: "Of a custom_tool_call: its text." })),
    output: Type.Optional(content("Of an output: the text, or a list of parts.")),
    encrypted_content: Type.Optional(
      nullableString({ description: "Of reasoning or a compaction: as the answer gave it." }),
    ),
  },
  { description: "One item of the conversation; other fields are tolerated." },
);

export const ResponsesRequestBody = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      maxLength: 256,
      description: "A chat model of `GET /v1/models`.",
      examples: ["sandbox-large"],
    }),
    input: Type.Unsafe<string | Static<typeof InputItem>[]>({
      type: ["string", "array"],
      items: InputItem,
      description:
        "What the user says, or the conversation so far as a list of items. A last item of type `compaction_trigger` asks for a summary of it.",
      examples: ["Привет!"],
    }),
    previous_response_id: Type.Optional(
      nullableString({
        description:
          "A kept response that the conversation goes on from: what was sent and said there is put before `input`, and charged as input.",
        examples: ["resp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b"],
      }),
    ),
    instructions: Type.Optional(
      nullableString({ description: "What the model is told before the conversation." }),
    ),
    max_output_tokens: Type.Optional(
      nullableInteger(
        { minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
        { description: "Maximum tokens in the answer, reasoning included.", examples: [1000] },
      ),
    ),
    stream: Type.Optional(
      nullableBoolean({ description: "true answers with server-sent events.", default: false }),
    ),
    background: Type.Optional(
      nullableBoolean({ description: "true is not taken: answers are not made behind the call." }),
    ),
    store: Type.Optional(
      nullableBoolean({
        description:
          "false: the answer is not kept. Else it is kept sealed for its account, for 30 days unless the operator says otherwise, and counts in its storage; where there is no room the answer says `store: false`.",
        default: true,
      }),
    ),
    temperature: Type.Optional(
      nullableNumber(
        { minimum: 0, maximum: 2 },
        { description: "Sampling temperature.", default: 1 },
      ),
    ),
    top_p: Type.Optional(
      nullableNumber({ minimum: 0, maximum: 1 }, { description: "Nucleus sampling.", default: 1 }),
    ),
    tools: Type.Optional(
      nullableArray(Type.Object({}), {
        description:
          "Tools of type function, custom, namespace and tool_search, whose schemas count as prompt. Tools that the provider runs are left out where they have no price; `x-tollgate-dropped-tools` names them.",
      }),
    ),
    tool_choice: Type.Optional(
      Type.Unknown({ description: "none, auto, required, one tool, or allowed_tools." }),
    ),
    parallel_tool_calls: Type.Optional(
      nullableBoolean({
        description: "Whether several tools may be called in one turn.",
        default: true,
      }),
    ),
    text: Type.Optional(
      nullableObject(
        {},
        { description: "`format`: text, json_object, or a JSON Schema that the answer keeps to." },
      ),
    ),
    reasoning: Type.Optional(
      nullableObject({}, { description: "`effort`: how much a reasoning model thinks." }),
    ),
    include: Type.Optional(
      nullableArray(Type.String(), {
        description: "What an answer shall hold besides, as `reasoning.encrypted_content`.",
      }),
    ),
    metadata: Type.Optional(
      nullableObject({}, { description: "Comes back with the answer, as it is." }),
    ),
    truncation: Type.Optional(Type.Unknown({ description: "Accepted." })),
    prompt_cache_key: Type.Optional(
      nullableString({ description: "Passed on where the upstream knows it." }),
    ),
    safety_identifier: Type.Optional(
      nullableString({ description: "An opaque name of your user." }),
    ),
  },
  {
    description:
      "A Responses request. Fields that are not listed are passed to an upstream of the same protocol as they are, and tolerated elsewhere.",
    examples: [{ model: "sandbox-large", input: "Привет!", stream: true }],
  },
);

export type ResponsesRequestBody = Static<typeof ResponsesRequestBody>;
