/** The forms of all kinds of calls, in the order of their tabs: one that is missing does not compile. */
import type { CallType } from "../../../../../src/contract/enums/call-endpoint.ts";
import type { PanelModel } from "../../../../../src/contract/panel/panel-model.ts";
import { EmbeddingAnswer } from "./answers/embedding-answer.tsx";
import { ImageAnswer } from "./answers/image-answer.tsx";
import { ModerationAnswer } from "./answers/moderation-answer.tsx";
import { RerankAnswer } from "./answers/rerank-answer.tsx";
import { SpeechAnswer } from "./answers/speech-answer.tsx";
import { CompletionAnswer, TranscriptAnswer } from "./answers/text-answer.tsx";
import type { CallField } from "./call-field.ts";
import type { CallKind } from "./call-kind.ts";
import { filesOf, type CallPath } from "./write-call.ts";

/** Where the price says none: the model's own, and what most have. */
const USUAL_SIZES = ["", "1024x1024", "1536x1024", "1024x1536"];
const USUAL_QUALITIES = ["", "low", "medium", "high"];
/** OpenAI's. */
const MOST_IMAGES = 16;

/** What the price of an image is by; what it leaves out is not sold. */
function pricedBy({ price }: PanelModel, name: string, usual: readonly string[]): string[] {
  const rows = price.kind === "call" ? price.rows : [];
  const values = new Set(rows.flatMap(({ when }) => when[name] ?? []));
  return values.size === 0 ? [...usual] : [...values];
}

/** Of a translation it is English. */
const LANGUAGE: CallField = { name: "language", kind: "word", label: "language", advanced: true };

type Form = Omit<CallKind, "type">;

function formOf(fields: readonly CallField[], path: CallPath, Answer: Form["Answer"]): Form {
  return { fieldsOf: () => fields, pathOf: () => path, Answer };
}

const IMAGE: Form = {
  fieldsOf: (model) => [
    { name: "prompt", kind: "text", label: "imagePrompt", required: true },
    { name: "size", kind: "choice", label: "size", values: pricedBy(model, "size", USUAL_SIZES) },
    {
      name: "quality",
      kind: "choice",
      label: "quality",
      values: pricedBy(model, "quality", USUAL_QUALITIES),
    },
    {
      name: "image",
      kind: "files",
      label: "image",
      media: ["image"],
      most: MOST_IMAGES,
      advanced: true,
    },
    { name: "n", kind: "integer", label: "imageCount", advanced: true },
  ],
  pathOf: ({ image }) => (filesOf(image).length > 0 ? "/images/edits" : "/images/generations"),
  // By address: they are among the account's files then, and the answer stays small.
  always: { response_format: "url" },
  Answer: ImageAnswer,
};

const TRANSCRIPTION: Form = {
  fieldsOf: (_, { translate }) => [
    {
      name: "file",
      kind: "files",
      label: "sound",
      media: ["audio", "video"],
      most: 1,
      required: true,
    },
    { name: "translate", kind: "switch", label: "translate" },
    {
      name: "response_format",
      kind: "choice",
      label: "textFormat",
      values: ["json", "text", "srt", "vtt", "verbose_json"],
      advanced: true,
    },
    ...(translate === true ? [] : [LANGUAGE]),
    { name: "prompt", kind: "text", label: "soundPrompt", advanced: true },
  ],
  pathOf: ({ translate }) => (translate === true ? "/audio/translations" : "/audio/transcriptions"),
  Answer: TranscriptAnswer,
};

const FORMS: Readonly<Record<CallType, Form>> = {
  image: IMAGE,
  speech: formOf(
    [
      { name: "input", kind: "text", label: "speechText", required: true },
      { name: "voice", kind: "word", label: "voice", first: "alloy" },
      {
        name: "response_format",
        kind: "choice",
        label: "soundFormat",
        values: ["mp3", "wav", "opus", "aac", "flac"],
      },
      { name: "speed", kind: "number", label: "speed", advanced: true },
      { name: "instructions", kind: "text", label: "instructions", advanced: true },
    ],
    "/audio/speech",
    SpeechAnswer,
  ),
  transcription: TRANSCRIPTION,
  embedding: formOf(
    [
      { name: "input", kind: "lines", label: "texts", required: true },
      { name: "dimensions", kind: "integer", label: "dimensions", advanced: true },
    ],
    "/embeddings",
    EmbeddingAnswer,
  ),
  rerank: formOf(
    [
      { name: "query", kind: "word", label: "query", required: true },
      { name: "documents", kind: "lines", label: "documents", required: true },
      { name: "top_n", kind: "integer", label: "topN", advanced: true },
    ],
    "/rerank",
    RerankAnswer,
  ),
  moderation: formOf(
    [{ name: "input", kind: "text", label: "judgedText", required: true }],
    "/moderations",
    ModerationAnswer,
  ),
  completion: formOf(
    [
      { name: "prompt", kind: "text", label: "completionPrompt", required: true },
      { name: "max_tokens", kind: "integer", label: "maxTokens", first: 200 },
      { name: "suffix", kind: "text", label: "suffix", advanced: true },
      { name: "temperature", kind: "number", label: "temperature", advanced: true },
    ],
    "/completions",
    CompletionAnswer,
  ),
};

export const CALL_KINDS: readonly CallKind[] = (Object.keys(FORMS) as CallType[]).map((type) => ({
  type,
  ...FORMS[type],
}));
