/**
 * One server-sent event of an OpenAI-protocol stream, read into what the gateway needs to know of
 * it.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import { isRecord } from "../json/is-record.ts";
import type { SseEvent } from "../sse/split-events.ts";
import type { UsageReading } from "../usage-reading.ts";
import type { HideWords } from "../operator-words.ts";
import { generatedText, hasSilentPart } from "./generated-text.ts";
import { isBareError, readErrorValue, type UpstreamErrorReading } from "../read-upstream-error.ts";
import { readAnswerUsage } from "./read-usage.ts";

export interface ChunkChoice {
  readonly index: number;
  /**
   * All generated text of this choice in this chunk: content, refusal, reasoning, tool names and
   * arguments, audio transcript.
   */
  readonly text: string;
  /** Null while the choice goes on. */
  readonly finishReason: string | null;
}

export interface ChatChunk {
  readonly kind: "chunk";
  /**
   * Something was generated: text, a tool call, audio. False for the role, keep-alive and usage
   * chunks.
   */
  readonly hasContent: boolean;
  /** The text of all choices. */
  readonly text: string;
  readonly usage: UsageReading;
  /**
   * The extra chunk of `stream_options.include_usage`: no choices, only usage. Dropped unless the
   * caller asked for it.
   */
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
  /**
   * Nothing for the protocol: a comment, an event without data. Better not sent on: some clients
   * take it for data (hazards §41).
   */
  | { readonly kind: "comment" }
  /** Neither JSON nor `[DONE]`: the stream is broken. */
  | ({ readonly kind: "garbage" } & WordedReason);

const DONE = "[DONE]";
const NO_CHOICES: readonly unknown[] = [];
const NO_WORDS = "The upstream reported an error without saying which.";

/**
 * A choice may come with a whole `message`: some upstreams answer a stream with one final chunk in
 * that form, alone or after the deltas that it repeats.
 */
function partOf(
  { delta, message, text }: Record<string, unknown>,
  begun: boolean,
): Record<string, unknown> | null {
  if (isRecord(delta)) return delta;
  // A choice of the old completions is a text.
  if (typeof text === "string") return { content: text };
  return isRecord(message) && !begun ? message : null;
}

function readChoice(raw: unknown, position: number, begun: boolean): ChunkChoice {
  if (!isRecord(raw)) return { index: position, text: "", finishReason: null };
  const { index, finish_reason: finishReason } = raw;
  const part = partOf(raw, begun);
  return {
    index:
      typeof index === "number" && Number.isSafeInteger(index) && index >= 0 ? index : position,
    text: part === null ? "" : generatedText(part),
    finishReason: typeof finishReason === "string" && finishReason !== "" ? finishReason : null,
  };
}

function generatedSilently(raw: unknown, begun: boolean): boolean {
  const part = isRecord(raw) ? partOf(raw, begun) : null;
  return part !== null && hasSilentPart(part);
}

/** The keep-alive of the other protocol, from upstreams that speak both. */
function isPing(data: Record<string, unknown>): boolean {
  return data["type"] === "ping" && data["choices"] === undefined;
}

/**
 * Never throws: whatever an upstream sends is one of the kinds. `begun`: something was generated in
 * the events before.
 */
export function readChunk(event: SseEvent, begun = false, hide?: HideWords): ChunkReading {
  if (event.data === null) return { kind: "comment" };
  const text = event.data.trim();
  if (text === "") return { kind: "comment" };
  if (text === DONE) return { kind: "done" };
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return event.event === "error"
      ? readErrorValue(text, { fallback: NO_WORDS, hide })
      : { kind: "garbage", ...sayReason("event_not_json") };
  }
  if (event.event === "error" || (isRecord(data) && Boolean(data["error"])))
    return readErrorValue(data, { fallback: NO_WORDS, hide });
  if (!isRecord(data)) return { kind: "garbage", ...sayReason("event_no_object") };
  if (isPing(data)) return { kind: "comment" };
  if (data["object"] === "error") return readErrorValue(data, { fallback: NO_WORDS, hide });
  const sent: unknown = data["choices"];
  const list: readonly unknown[] = Array.isArray(sent) ? sent : NO_CHOICES;
  const usage = readAnswerUsage(data);
  if (!Array.isArray(sent) && usage.kind === "absent" && isBareError(data))
    return readErrorValue(data, { fallback: NO_WORDS, hide });
  // Nearly every chunk has one choice.
  const choices =
    list.length === 1
      ? [readChoice(list[0], 0, begun)]
      : list.map((raw, position) => readChoice(raw, position, begun));
  let all = "";
  let finished = false;
  for (const choice of choices) {
    all += choice.text;
    finished ||= choice.finishReason !== null;
  }
  return {
    kind: "chunk",
    hasContent: all !== "" || list.some((raw) => generatedSilently(raw, begun)),
    text: all,
    usage,
    usageOnly: list.length === 0 && usage.kind !== "absent",
    finished,
    choices,
    data,
  };
}
