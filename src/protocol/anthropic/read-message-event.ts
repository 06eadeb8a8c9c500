/** One server-sent event of a Messages stream, read into what the gateway needs to know of it. */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import { isRecord } from "../json/is-record.ts";
import type { SseEvent } from "../sse/split-events.ts";
import type { StreamError } from "../chat-dialect.ts";
import type { HideWords } from "../operator-words.ts";
import { blockText, deltaText, hasSilentBlock, hasSilentDelta } from "./generated-text.ts";
import { readMessagesError } from "./read-error.ts";

export interface MessageEvent {
  readonly kind: "event";
  /**
   * `message_start`, `content_block_start`, `content_block_delta`, `content_block_stop`,
   * `message_delta`, `message_stop`, `ping`, …
   */
  readonly type: string;
  /**
   * Something was generated: text, a tool call, sealed thinking. False for what only opens, closes
   * or keeps alive.
   */
  readonly hasContent: boolean;
  readonly text: string;
  /** Of message_delta; null elsewhere, and while the answer goes on. */
  readonly stopReason: string | null;
  /** The event has no `event:` line, without which the official SDKs skip it. */
  readonly unnamed: boolean;
  /** The parsed event. */
  readonly data: Record<string, unknown>;
}

export type MessageEventReading =
  | MessageEvent
  | { readonly kind: "error"; readonly error: StreamError }
  /**
   * Nothing for the protocol: a comment, an event without data, the end mark of another protocol.
   */
  | { readonly kind: "comment" }
  /** Not a JSON object with a type: the stream is broken, or none of this protocol. */
  | ({ readonly kind: "garbage" } & WordedReason);

/**
 * Some upstreams of this protocol end their streams as the OpenAI protocol does, after
 * message_stop.
 */
const FOREIGN_DONE = "[DONE]";

function textOf(type: string, block: unknown, delta: unknown): string {
  if (type === "content_block_delta") return isRecord(delta) ? deltaText(delta) : "";
  return type === "content_block_start" && isRecord(block) ? blockText(block) : "";
}

function isSilentContent(type: string, block: unknown, delta: unknown): boolean {
  if (type === "content_block_delta") return isRecord(delta) && hasSilentDelta(delta);
  return type === "content_block_start" && isRecord(block) && hasSilentBlock(block);
}

function stopReasonOf(type: string, data: Record<string, unknown>): string | null {
  const { delta } = data;
  const reason = type === "message_delta" && isRecord(delta) ? delta["stop_reason"] : null;
  return typeof reason === "string" && reason !== "" ? reason : null;
}

/**
 * Never throws: whatever an upstream sends is one of the kinds. The type is that of the data, else
 * that of the `event:` line.
 */
export function readMessageEvent(event: SseEvent, hide?: HideWords): MessageEventReading {
  const text = event.data?.trim() ?? "";
  if (text === "" || text === FOREIGN_DONE) return { kind: "comment" };
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    if (event.event === "error") return { kind: "error", error: readMessagesError(text, hide) };
    return { kind: "garbage", ...sayReason("event_not_json") };
  }
  if (
    event.event === "error" ||
    (isRecord(data) && (data["type"] === "error" || Boolean(data["error"])))
  ) {
    return { kind: "error", error: readMessagesError(data, hide) };
  }
  if (!isRecord(data)) return { kind: "garbage", ...sayReason("event_no_object") };
  const type = typeof data["type"] === "string" ? data["type"] : event.event;
  if (type === null || type === "") return { kind: "garbage", ...sayReason("event_without_type") };
  const { content_block: block, delta } = data;
  const generated = textOf(type, block, delta);
  return {
    kind: "event",
    type,
    hasContent: generated !== "" || isSilentContent(type, block, delta),
    text: generated,
    stopReason: stopReasonOf(type, data),
    unnamed: event.event === null && /^\w+$/.test(type),
    data,
  };
}
