/** `POST /v1/rerank`, as Cohere and Jina shaped it: only what the gateway reads is typed. */
import Type from "typebox";
import { nullableBoolean, nullableInteger } from "./nullable.ts";

export const RerankRequestBody = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      description: "A rerank model of the catalogue.",
      examples: ["sandbox-rerank"],
    }),
    query: Type.Unsafe<unknown>({
      type: ["string", "object"],
      additionalProperties: true,
      description: "What the documents are ranked for.",
      examples: ["столица Франции"],
    }),
    documents: Type.Array(Type.Unknown(), {
      minItems: 1,
      description: "Texts, or objects with a `text`.",
      examples: [["Париж", "Лондон"]],
    }),
    top_n: Type.Optional(
      nullableInteger({ minimum: 1 }, { description: "How many are given back; all by default." }),
    ),
    return_documents: Type.Optional(
      nullableBoolean({ description: "Each result has its document." }),
    ),
  },
  {
    description: "What is to be ranked. Fields that are not listed are passed to the upstream.",
    examples: [
      { model: "sandbox-rerank", query: "столица Франции", documents: ["Париж", "Лондон"] },
    ],
  },
);

export const RerankAnswer = Type.Object(
  {
    results: Type.Array(
      Type.Object({
        index: Type.Integer({ description: "Of the document.", examples: [0] }),
        relevance_score: Type.Number({ examples: [0.98] }),
      }),
      { description: "The best first." },
    ),
    model: Type.Optional(Type.String({ examples: ["sandbox-rerank"] })),
  },
  { description: "The upstream's own answer; what else it says is passed on." },
);
