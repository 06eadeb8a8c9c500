/** What `/v1/responses/{id}` answers: a kept response, what was sent for it, that it went. */
import Type from "typebox";

const AN_ID = "resp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b";

export const DeletedResponse = Type.Object(
  {
    id: Type.String({ examples: [AN_ID] }),
    object: Type.Literal("response.deleted"),
    deleted: Type.Literal(true),
  },
  { description: "It is kept no longer." },
);

const InputItem = Type.Object(
  {
    id: Type.String({ examples: ["msg_0199a1b2c3d47e5f8a9b0c1d2e3f4a5bi0000"] }),
    type: Type.String({ examples: ["message"] }),
  },
  { additionalProperties: true, description: "As it was sent, with an id." },
);

export const InputItemList = Type.Object(
  {
    object: Type.Literal("list"),
    data: Type.Array(InputItem),
    first_id: Type.Unsafe<string | null>({ type: ["string", "null"] }),
    last_id: Type.Unsafe<string | null>({
      type: ["string", "null"],
      description: "Pass it as `after` for the next page.",
    }),
    has_more: Type.Boolean(),
  },
  { description: "A page of the items that were sent for a response." },
);
