/** `POST /v1/audio/speech`: only what the gateway reads is typed, the rest passes. */
import Type from "typebox";
import { nullableNumber, nullableString } from "./nullable.ts";

export const SPEECH_FORMATS = ["mp3", "opus", "aac", "flac", "wav", "pcm"] as const;

export const SpeechRequestBody = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      description: "A speech model of the catalogue.",
      examples: ["sandbox-speech"],
    }),
    input: Type.String({
      minLength: 1,
      description: "What is to be spoken; the price is for its characters.",
      examples: ["Привет!"],
    }),
    voice: Type.Optional(
      Type.Unsafe<string | object | null>({
        type: ["string", "object", "null"],
        properties: { id: { type: "string", description: "Of a voice of one's own." } },
        description: "As the model's upstream calls it.",
        examples: ["alloy"],
      }),
    ),
    response_format: Type.Optional(
      Type.Unsafe<(typeof SPEECH_FORMATS)[number] | null>({
        enum: [...SPEECH_FORMATS, null],
        description: "Of the sound; `mp3` by default.",
      }),
    ),
    stream_format: Type.Optional(
      Type.Unsafe<"audio" | "sse" | null>({
        enum: ["audio", "sse", null],
        description: "Bytes as they are made, which is the default, or events with parts of them.",
      }),
    ),
    speed: Type.Optional(nullableNumber({}, { description: "As the model has it." })),
    instructions: Type.Optional(nullableString({ description: "How it is to be spoken." })),
  },
  {
    description: "What is to be spoken. Fields that are not listed are passed to the upstream.",
    examples: [{ model: "sandbox-speech", input: "Привет!", voice: "alloy" }],
  },
);
