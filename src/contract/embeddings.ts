/** `POST /v1/embeddings`: only what the gateway reads is typed, the rest passes. */
import Type from "typebox";
import { nullableInteger, nullableString } from "./nullable.ts";

/** One text, or one text as tokens, or a list of either. */
export const TextInput = Type.Unsafe<string | readonly unknown[]>({
  type: ["string", "array"],
  // What stands where is said by its own reader, in fewer words.
  items: { description: "A text, a token id, or a list of token ids." },
  description: "A text, a list of texts, the token ids of a text, or a list of such.",
  examples: ["Привет!"],
});

export const EmbeddingsRequestBody = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      description: "An embedding model of the catalogue.",
      examples: ["sandbox-embedding"],
    }),
    input: TextInput,
    encoding_format: Type.Optional(
      nullableString({ description: "float or base64; passed on.", examples: ["base64"] }),
    ),
    dimensions: Type.Optional(
      nullableInteger({ minimum: 1 }, { description: "How long a vector is; passed on." }),
    ),
    user: Type.Optional(nullableString({ description: "Passed on." })),
  },
  {
    description: "What is to be embedded. Fields that are not listed are passed to the upstream.",
    examples: [{ model: "sandbox-embedding", input: ["Привет!", "Здравствуй!"] }],
  },
);

const Embedding = Type.Object(
  {
    object: Type.Literal("embedding"),
    index: Type.Integer({ description: "Of its input.", examples: [0] }),
    embedding: Type.Unsafe<number[] | string>({
      type: ["array", "string"],
      items: { type: "number" },
      description: "The vector; little-endian floats in base64 where that was asked for.",
      examples: [[0.0023, -0.0093]],
    }),
  },
  { description: "The vector of one input." },
);

const InputUsage = Type.Object(
  {
    prompt_tokens: Type.Integer({ examples: [8] }),
    total_tokens: Type.Integer({ examples: [8] }),
  },
  { description: "What the request is charged for." },
);

export const EmbeddingList = Type.Object(
  {
    object: Type.Literal("list"),
    data: Type.Array(Embedding),
    model: Type.String({ examples: ["sandbox-embedding"] }),
    usage: InputUsage,
  },
  { description: "The vectors, in the order of the inputs." },
);
