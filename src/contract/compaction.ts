/** `POST /v1/responses/compact`: a conversation to be summed up, and its summary. */
import Type from "typebox";
import { nullableString } from "./nullable.ts";
import { ResponseUsage } from "./response.ts";
import { ResponsesRequestBody } from "./responses-request.ts";

const { model, input, instructions, previous_response_id } = ResponsesRequestBody.properties;

export const CompactRequestBody = Type.Object(
  {
    model,
    input: Type.Optional(input),
    instructions,
    previous_response_id,
    prompt_cache_key: Type.Optional(
      nullableString({ description: "Passed on where the upstream knows it." }),
    ),
  },
  {
    description:
      "As the body of `POST /v1/responses`; `input` may be left out where `previous_response_id` is given. Nothing of it is kept.",
    examples: [{ model: "sandbox-large", input: [{ role: "user", content: "Привет!" }] }],
  },
);

export const Compaction = Type.Object(
  {
    id: Type.String({ examples: ["resp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b"] }),
    object: Type.Literal("response.compaction"),
    created_at: Type.Number({ description: "Unix time, seconds.", examples: [1763712000] }),
    output: Type.Array(Type.Object({ type: Type.Optional(Type.String()) }), {
      description:
        "Messages of instructions and of the user as they were sent, and one item of type `compaction` with its `encrypted_content`.",
    }),
    usage: ResponseUsage,
  },
  { description: "What takes the place of the conversation." },
);
