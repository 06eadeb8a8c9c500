/** OpenAI's speech endpoint: a real sound that lasts as long as the text would, as it is made. */
import { readFile } from "node:fs/promises";
import { countTokens } from "../count-tokens.ts";
import type { MediaStudio } from "../media/media-studio.ts";
import { SOUND_FORMATS, type SoundSpec } from "../media/output-spec.ts";
import { openaiDialect } from "../openai/dialect.ts";
import { stripDirectives } from "../read-directive-words.ts";
import { writeStream } from "../write-answer.ts";
import { reportedFigures } from "./images.ts";
import { Refusal, tintOf, type MediaCall } from "./media-call.ts";

/** As the vendor has it. */
const LONGEST_INPUT = 4096;
const CHARACTERS_A_SECOND = 15;
const [SHORTEST_SECONDS, LONGEST_SECONDS] = [0.2, 60];
/** A stream of sound has so many pieces, so that a place in it can be named. */
const PIECES = 8;
const TOKENS_A_SECOND = 20;

export interface SpeechOptions {
  readonly studio: MediaStudio;
  /** Between two pieces. */
  readonly pauseMs: number;
}

export async function serveSpeech(
  call: MediaCall,
  { studio, pauseMs }: SpeechOptions,
): Promise<string> {
  const { fields, directives } = call;
  const input = fields["input"];
  if (typeof input !== "string" || input === "")
    throw new Refusal("Missing required parameter: 'input'.", "input");
  if (input.length > LONGEST_INPUT)
    throw new Refusal(`String should have at most ${LONGEST_INPUT} characters`, "input");
  if (fields["voice"] === undefined)
    throw new Refusal("Missing required parameter: 'voice'.", "voice");
  const format = SOUND_FORMATS.find((known) => known === (fields["response_format"] ?? "mp3"));
  if (format === undefined)
    throw new Refusal("Invalid value for 'response_format'.", "response_format");
  const speed = Number(fields["speed"] ?? 1);
  if (!(speed >= 0.25 && speed <= 4)) throw new Refusal("Invalid value for 'speed'.", "speed");
  const text = stripDirectives(input);
  const spec = {
    kind: "sound",
    format,
    seconds: secondsOf(text, speed),
    tint: tintOf(text),
  } as const;
  const made = await make(studio, spec);
  const pieces = cut(await readFile(made.path), PIECES);
  const writing = { ...call, dialect: openaiDialect };
  const pause = directives.chunkDelayMs ?? pauseMs;
  if (fields["stream_format"] !== "sse") {
    const { end } = await writeStream(writing, pieces, pause, made.contentType);
    return `${String(fields["model"])} ${made.bytes} bytes ${end}`;
  }
  const reported = reportedFigures(directives, {
    input: countTokens(input),
    output: Math.ceil(spec.seconds * TOKENS_A_SECOND),
  });
  const usage =
    reported === null
      ? {}
      : {
          usage: {
            input_tokens: reported.input,
            output_tokens: reported.output,
            total_tokens: reported.input + reported.output,
          },
        };
  const events = [
    ...pieces.map((piece) => ({ type: "speech.audio.delta", audio: piece.toString("base64") })),
    { type: "speech.audio.done", ...usage },
  ].map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const { end } = await writeStream(writing, events, pause);
  return `${String(fields["model"])} ${events.length} events ${end}`;
}

async function make(studio: MediaStudio, spec: SoundSpec): ReturnType<MediaStudio["make"]> {
  try {
    return await studio.make(spec);
  } catch (error) {
    throw new Refusal(error instanceof Error ? error.message : String(error), null, null, 501);
  }
}

function secondsOf(text: string, speed: number): number {
  const seconds = text.length / CHARACTERS_A_SECOND / speed;
  return Math.round(Math.min(LONGEST_SECONDS, Math.max(SHORTEST_SECONDS, seconds)) * 1000) / 1000;
}

function cut(bytes: Buffer, count: number): Buffer[] {
  const size = Math.max(1, Math.ceil(bytes.length / count));
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
}
