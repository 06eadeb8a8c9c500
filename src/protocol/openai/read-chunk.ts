/** One server-sent event of an OpenAI-protocol stream, read into what the gateway needs to know of it. */
import { isRecord } from "../json/is-record.ts";
import type { SseEvent } from "../sse/split-events.ts";
import type { UsageReading } from "../usage-reading.ts";
import { generatedText, hasSilentPart } from "./generated-text.ts";
import { readErrorValue, type UpstreamErrorReading } from "../read-upstream-error.ts";
import { readUsage } from "./read-usage.ts";

export interface ChunkChoice {
  readonly index: number;
  /** All generated text of this choice in this chunk: content, refusal, reasoning, tool names and arguments, audio transcript. */
  readonly text: string;
  /** Null while the choice goes on. */
  readonly finishReason: string | null;
}

export interface ChatChunk {
  readonly kind: "chunk";
  /** Something was generated: text, a tool call, audio. False for the role, keep-alive and usage chunks. */
  readonly hasContent: boolean;
  /** The text of all choices. */
  readonly text: string;
  readonly usage: UsageReading;
  /** The extra chunk of `stream_options.include_usage`: no choices, only usage. Dropped unless the caller asked for it. */
  readonly usageOnly: boolean;
  /** A choice of this chunk carries a finish reason. */
  readonly finished: boolean;
  readonly choices: readonly ChunkChoice[];
  /** The parsed chunk. */
  readonly data: Record<string, unknown>;
}

export type ChunkReading =
  | ChatChunk
  | UpstreamErrorReading
  | { readonly kind: "done" }
  /** Nothing for the protocol: a comment, an event without data. Better not sent on: some clients take it for data (failures.md 41). */
  | { readonly kind: "comment" }
  /** Neither JSON nor `[DONE]`: the stream is broken. */
  | { readonly kind: "garbage"; readonly reason: string };

const DONE = "[DONE]";
const NO_WORDS = "The upstream reported an error without saying which.";

function readChoice(raw: unknown, position: number): ChunkChoice & { readonly generated: boolean } {
  if (!isRecord(raw)) return { index: position, text: "", finishReason: null, generated: false };
  const { index, delta, finish_reason: finishReason } = raw;
  // A choice may come with a whole `message`: some upstreams answer a stream with one final chunk in that form.
  const part = isRecord(delta) ? delta : isRecord(raw["message"]) ? raw["message"] : {};
  const text = generatedText(part);
  return {
    index: typeof index === "number" && Number.isSafeInteger(index) && index >= 0 ? index : position,
    text,
    finishReason: typeof finishReason === "string" && finishReason !== "" ? finishReason : null,
    generated: text !== "" || hasSilentPart(part),
  };
}

/** Never throws: whatever an upstream sends is one of the kinds. */
export function readChunk(event: SseEvent): ChunkReading {
  if (event.data === null) return { kind: "comment" };
  const text = event.data.trim();
  if (text === "") return { kind: "comment" };
  if (text === DONE) return { kind: "done" };
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return event.event === "error" ? readErrorValue(text, NO_WORDS) : { kind: "garbage", reason: "an event of the stream is not JSON" };
  }
  if (event.event === "error" || (isRecord(data) && Boolean(data["error"]))) return readErrorValue(data, NO_WORDS);
  if (!isRecord(data)) return { kind: "garbage", reason: "an event of the stream is not a JSON object" };
  if (data["object"] === "error") return readErrorValue(data, NO_WORDS);
  const choices = Array.isArray(data["choices"]) ? data["choices"].map(readChoice) : [];
  const usage = readUsage(data["usage"]);
  return {
    kind: "chunk",
    hasContent: choices.some((choice) => choice.generated),
    text: choices.length === 1 ? (choices[0]?.text ?? "") : choices.map((choice) => choice.text).join(""),
    usage,
    usageOnly: choices.length === 0 && usage.kind !== "absent",
    finished: choices.some((choice) => choice.finishReason !== null),
    choices,
    data,
  };
}
