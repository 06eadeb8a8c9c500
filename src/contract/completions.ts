/** `POST /v1/completions`, the old one: only what the gateway reads is typed, the rest passes. */
import Type from "typebox";
import { ChatUsage } from "./chat-completion.ts";
import { TextInput } from "./embeddings.ts";
import { nullableBoolean, nullableInteger, nullableObject, nullableString } from "./nullable.ts";

const MOST_CHOICES = 128;

export const CompletionsRequestBody = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      description: "A completion model of the catalogue.",
      examples: ["sandbox-completion"],
    }),
    prompt: Type.Optional(TextInput),
    suffix: Type.Optional(nullableString({ description: "What follows the completion." })),
    max_tokens: Type.Optional(
      nullableInteger(
        { minimum: 0, maximum: 100_000_000 },
        { description: "The longest completion; 16 by default, as this API has it." },
      ),
    ),
    n: Type.Optional(
      nullableInteger({ minimum: 1, maximum: MOST_CHOICES }, { description: "For each prompt." }),
    ),
    best_of: Type.Optional(
      nullableInteger(
        { minimum: 1, maximum: MOST_CHOICES },
        { description: "Completions that are made for each prompt, all of them charged." },
      ),
    ),
    stream: Type.Optional(nullableBoolean({ description: "Server-sent events." })),
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
    echo: Type.Optional(
      nullableBoolean({ description: "The prompt is given back before the completion." }),
    ),
  },
  {
    description: "What is to be completed. Fields that are not listed are passed to the upstream.",
    examples: [{ model: "sandbox-completion", prompt: "Жили-были", max_tokens: 32 }],
  },
);

const CompletionChoice = Type.Object({
  index: Type.Integer({ examples: [0] }),
  text: Type.String({ examples: [" дед да баба"] }),
  finish_reason: nullableString({ description: "stop or length; null while a stream goes on." }),
});

/** Whole, and each event of a stream before `[DONE]`. */
export const Completion = Type.Object(
  {
    id: Type.String({ examples: ["cmpl-1"] }),
    object: Type.String({ examples: ["text_completion"] }),
    created: Type.Integer({ examples: [1763712000] }),
    model: Type.String({ examples: ["sandbox-completion"] }),
    choices: Type.Array(CompletionChoice),
    usage: Type.Optional(Type.Union([ChatUsage, Type.Null()])),
  },
  { description: "The completion, or a piece of it." },
);
