/** `POST /v1/audio/transcriptions` and `/v1/audio/translations`: forms with a file. */
import Type from "typebox";

export const TRANSCRIPT_FORMATS = [
  "json",
  "text",
  "srt",
  "verbose_json",
  "vtt",
  "diarized_json",
] as const;

const FIELDS = {
  file: Type.String({
    format: "binary",
    description: "Sound, or a video with sound: 25 MB at most. Its length is measured.",
  }),
  model: Type.String({
    minLength: 1,
    description: "A transcription model of the catalogue.",
    examples: ["sandbox-transcription"],
  }),
  response_format: Type.Optional(
    Type.Enum([...TRANSCRIPT_FORMATS], {
      description: "Which of them a model has, its upstream says.",
    }),
  ),
  prompt: Type.Optional(Type.String({ description: "Words that help to understand the sound." })),
};

export const TranscriptionRequestBody = Type.Object(
  {
    ...FIELDS,
    language: Type.Optional(Type.String({ examples: ["ru"] })),
    stream: Type.Optional(Type.String({ description: "`true`: events while it is heard." })),
  },
  { description: "A form. Fields that are not listed are passed to the upstream." },
);

export const TranslationRequestBody = Type.Object(FIELDS, {
  description: "A form. Fields that are not listed are passed to the upstream.",
});

export const Transcript = Type.Object(
  { text: Type.String({ examples: ["Привет!"] }) },
  { description: "What was heard, as the upstream writes it." },
);
