/** `POST /v1/moderations`: only what the gateway reads is typed, the rest passes. */
import Type from "typebox";
import { nullableString } from "./nullable.ts";

export const ModerationsRequestBody = Type.Object(
  {
    model: Type.Optional(
      nullableString({
        description: "A moderation model of the catalogue; its first one by default.",
        examples: ["sandbox-moderation"],
      }),
    ),
    input: Type.Unsafe<string | readonly unknown[]>({
      type: ["string", "array"],
      items: { type: ["string", "object"], additionalProperties: true },
      description: "A text, a list of texts, or a list of text and image parts.",
      examples: ["Привет!"],
    }),
  },
  {
    description: "What is to be judged. Fields that are not listed are passed to the upstream.",
    examples: [{ model: "sandbox-moderation", input: "Привет!" }],
  },
);

export const Moderation = Type.Object(
  {
    id: Type.String({ examples: ["modr-1"] }),
    model: Type.String({ examples: ["sandbox-moderation"] }),
    results: Type.Array(
      Type.Object({
        flagged: Type.Boolean(),
        categories: Type.Record(Type.String(), Type.Unknown()),
        category_scores: Type.Record(Type.String(), Type.Unknown()),
      }),
      { description: "One for each input." },
    ),
  },
  { description: "The upstream's own judgement." },
);
