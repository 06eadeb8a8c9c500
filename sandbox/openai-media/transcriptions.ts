/**
 * OpenAI's transcription endpoints: words that hang on the file's bytes alone, as many as its length
 * has room for, in every format.
 */
import { open } from "node:fs/promises";
import { countTokens } from "../count-tokens.ts";
import { detectMedia } from "../media/detect-media.ts";
import type { MediaStudio } from "../media/media-studio.ts";
import { openaiDialect } from "../openai/dialect.ts";
import { writeStream, writeWhole } from "../write-answer.ts";
import { reportedFigures } from "./images.ts";
import { fieldText, Refusal, type MediaCall, type SentFile } from "./media-call.ts";
import { segmentsOf, subtitles, textOf, type Segment } from "./spoken-words.ts";

const FORMATS = ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"] as const;
type Format = (typeof FORMATS)[number];
const LARGEST_BYTES = 25 * 1024 * 1024;
const HEAD_BYTES = 64;
const TOKENS_A_SECOND = 10;

export interface TranscriptionOptions {
  readonly studio: MediaStudio;
  readonly task: "transcribe" | "translate";
  /** Between two events. */
  readonly pauseMs: number;
}

/** Models whose names say so report tokens, all others the length. */
const byTokens = (model: string): boolean => /^gpt-4o|tokens/.test(model);

export async function serveTranscription(
  call: MediaCall,
  { studio, task, pauseMs }: TranscriptionOptions,
): Promise<string> {
  const { fields, files, directives } = call;
  const model = String(fields["model"]);
  const [file] = files.filter(({ field }) => field === "file");
  if (file === undefined) throw new Refusal("file is a required parameter", "file");
  if (file.bytes > LARGEST_BYTES)
    throw new Refusal(`Maximum content size limit (${LARGEST_BYTES}) exceeded`, "file", null, 413);
  const format = FORMATS.find((known) => known === (fields["response_format"] ?? "json"));
  if (format === undefined)
    throw new Refusal("Invalid value for 'response_format'.", "response_format");
  const seconds = await lengthOf(studio, file);
  const russian = task === "transcribe" && fields["language"] === "ru";
  const segments = segmentsOf(file.sha256, seconds, russian);
  const text = textOf(segments);
  const usage = usageOf(call, { model, seconds, text });
  const writing = { ...call, dialect: openaiDialect };
  const status = directives.status ?? 200;
  if (String(fields["stream"]) === "true" && task === "transcribe") {
    const deltas = text.split(/(?<= )/).map((delta) => ({ type: "transcript.text.delta", delta }));
    const events = [...deltas, { type: "transcript.text.done", text, ...usage }].map(
      (event) => `data: ${JSON.stringify(event)}\n\n`,
    );
    const { end } = await writeStream(writing, events, directives.chunkDelayMs ?? pauseMs);
    return `${model} ${events.length} events ${end}`;
  }
  const granular = call.all("timestamp_granularities[]");
  const [body, type] = bodyOf(format, {
    task,
    language: russian ? "russian" : "english",
    segments,
    text,
    seconds,
    usage,
    words: granular.includes("word"),
  });
  const { end } = await writeWhole(writing, status, body, type);
  return `${model} ${status} ${format} ${end}`;
}

async function lengthOf(studio: MediaStudio, { path }: SentFile): Promise<number> {
  await using handle = await open(path);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  const type = detectMedia(buffer.subarray(0, bytesRead));
  const measured =
    type === null || type.startsWith("image/") ? null : await studio.measure(path, type);
  if (measured === null || measured.seconds === null)
    throw new Refusal("Invalid file format.", "file");
  return Math.round(measured.seconds * 1000) / 1000;
}

interface Heard {
  readonly task: TranscriptionOptions["task"];
  readonly language: string;
  readonly segments: readonly Segment[];
  readonly text: string;
  readonly seconds: number;
  readonly usage: object;
  /** Words with their times are wanted. */
  readonly words: boolean;
}

function bodyOf(format: Format, heard: Heard): readonly [body: string, contentType: string] {
  const { task, language, segments, text, seconds, usage, words } = heard;
  const json = (body: object): readonly [string, string] => [
    JSON.stringify(body),
    "application/json",
  ];
  switch (format) {
    case "json":
      return json({ text, ...usage });
    case "text":
      return [`${text}\n`, "text/plain; charset=utf-8"];
    case "srt":
      return [subtitles(segments, "srt"), "text/plain; charset=utf-8"];
    case "vtt":
      return [subtitles(segments, "vtt"), "text/vtt; charset=utf-8"];
    case "verbose_json":
      return json({
        task,
        language,
        duration: seconds,
        text,
        segments: segments.map(({ start, end, words: spoken }, id) => ({
          id,
          seek: 0,
          start,
          end,
          text: ` ${spoken.map(({ word }) => word).join(" ")}`,
          tokens: [],
          temperature: 0,
          avg_logprob: -0.2,
          compression_ratio: 1.1,
          no_speech_prob: 0.01,
        })),
        ...(words ? { words: segments.flatMap(({ words: spoken }) => spoken) } : {}),
        ...usage,
      });
    case "diarized_json":
      return json({
        task,
        duration: seconds,
        text,
        segments: segments.map(({ start, end, words: spoken }, index) => ({
          type: "transcript.text.segment",
          id: `seg_${index}`,
          speaker: index % 2 === 0 ? "A" : "B",
          start,
          end,
          text: spoken.map(({ word }) => word).join(" "),
        })),
        ...usage,
      });
  }
}

function usageOf(
  { fields, directives }: MediaCall,
  heard: { readonly model: string; readonly seconds: number; readonly text: string },
): object {
  const { model, seconds, text } = heard;
  if (!byTokens(model)) {
    if (directives.usage?.kind === "none") return {};
    return { usage: { type: "duration", seconds: Math.ceil(seconds) } };
  }
  const audio = Math.ceil(seconds * TOKENS_A_SECOND);
  const prompt = countTokens(fieldText(fields, "prompt", ""));
  const reported = reportedFigures(directives, {
    input: audio + prompt,
    output: countTokens(text),
  });
  if (reported === null) return {};
  return {
    usage: {
      type: "tokens",
      total_tokens: reported.input + reported.output,
      input_tokens: reported.input,
      input_token_details: {
        text_tokens: Math.min(prompt, reported.input),
        audio_tokens: Math.max(0, reported.input - prompt),
      },
      output_tokens: reported.output,
    },
  };
}
