/** Transcripts and translations of sound: paid for by its measured seconds, or by tokens. */
import { Fault } from "../../kernel/faults.ts";
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { CallEndpoint } from "../../contract/enums/call-endpoint.ts";
import { TRANSCRIPT_FORMATS } from "../../contract/transcription.ts";
import { upperEstimate } from "../estimate-tokens.ts";
import { isRecord } from "../json/is-record.ts";
import { readErrorValue } from "../read-upstream-error.ts";
import { ABSENT_USAGE } from "../usage-reading.ts";
import type { AskedCall, CallProtocol } from "./call-protocol.ts";
import { formBody, type FormFile } from "./form-body.ts";
import { MEDIA_EVENTS } from "./media-events.ts";
import { readMediaUsage } from "./media-usage.ts";

export type TranscriptEndpoint = Extract<
  CallEndpoint,
  "audio.transcriptions" | "audio.translations"
>;

/** What the upstreams that count tokens make of a second of sound at most, and of what is said in it. */
const TOKENS_A_SECOND = 50;
const WORDS_TOKENS_A_SECOND = 20;
/** Of a short sound. */
const LEAST_OUTPUT_TOKENS = 2048;
const LONGEST_SHOWN = 60;

/** The form of one request, read and measured. */
export interface SentSound {
  readonly texts: readonly (readonly [name: string, value: string])[];
  readonly file: Omit<FormFile, "field">;
  /** Hexadecimal. */
  readonly sha256: string;
  /** As it was measured, rounded up. */
  readonly milliseconds: number;
  release(): void;
}

/** Throws Fault("invalid_request"). */
export function askTranscript(endpoint: TranscriptEndpoint, sound: SentSound): AskedCall {
  const { texts, file, milliseconds } = sound;
  const sole = (name: string): string | null => {
    const values = texts.filter(([each]) => each === name);
    if (values.length > 1)
      throw new Fault("invalid_request", {
        message: `'${name}' is given more than once. Send it once.`,
        param: name,
      });
    return values[0]?.[1] ?? null;
  };
  const model = sole("model");
  if (model === null || model === "")
    throw new Fault("invalid_request", { message: "'model' is required.", param: "model" });
  const format = sole("response_format");
  if (format !== null && !TRANSCRIPT_FORMATS.some((known) => known === format))
    throw new Fault("invalid_request", {
      message: `'response_format' may be ${TRANSCRIPT_FORMATS.join(", ")}; "${format.slice(0, LONGEST_SHOWN)}" was sent.`,
      param: "response_format",
    });
  const prompt = sole("prompt") ?? "";
  const seconds = milliseconds / 1000;
  const ofSound = Math.ceil(seconds * TOKENS_A_SECOND);
  const streams = endpoint === "audio.transcriptions" && sole("stream") === "true";
  return {
    model,
    stream: streams,
    includeUsage: true,
    measure: () => ({
      inputTokens: ofSound + upperEstimate(prompt),
      mostInputTokens: ofSound + Buffer.byteLength(prompt),
      outputTokens: LEAST_OUTPUT_TOKENS + Math.ceil(seconds * WORDS_TOKENS_A_SECOND),
      counts: { milliseconds },
    }),
    texts: () => [prompt],
    overheadTokens: ofSound,
    unbounded: null,
    identity: Buffer.from(JSON.stringify([texts, sound.sha256])),
    write: (name) =>
      formBody(
        texts.map(([field, value]) => [field, field === "model" ? name : value] as const),
        [{ field: "file", ...file }],
      ),
    release: () => sound.release(),
  };
}

export function transcriptProtocol(endpoint: TranscriptEndpoint): CallProtocol {
  return {
    endpoint,
    path: endpoint === "audio.transcriptions" ? "/audio/transcriptions" : "/audio/translations",
    streaming: endpoint === "audio.transcriptions" ? MEDIA_EVENTS : null,

    readAnswer({ contentType, body }, _asked, hide) {
      const text = body.toString("utf8");
      // Texts, subtitles and what claims to be JSON: an error may come as JSON under any type.
      const data = parsed(text);
      if (isRecord(data) && (data["error"] ?? null) !== null) {
        const { kind: _, ...error } = readErrorValue(data, { fallback: NO_WORDS, hide });
        return { kind: "error", error };
      }
      if (!contentType.includes("json")) {
        if (contentType.includes("html"))
          return { kind: "garbage", ...sayReason("no_answer", { expected: "transcript" }) };
        return { kind: "answer", usage: ABSENT_USAGE, text, finishReason: null };
      }
      if (!isRecord(data)) return { kind: "garbage", ...sayReason("answer_not_json") };
      if (typeof data["text"] !== "string")
        return { kind: "garbage", ...sayReason("no_answer", { expected: "transcript" }) };
      const usage = readMediaUsage(data["usage"]);
      return { kind: "answer", usage, text: data["text"], finishReason: null };
    },

    writeAnswer: (answer) => answer,
  };
}

const NO_WORDS = "The upstream reported an error without saying which.";

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
