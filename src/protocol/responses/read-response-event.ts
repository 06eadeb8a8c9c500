/**
 * One server-sent event of a Responses stream, read into what the gateway needs to know of it.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import type { StreamError } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";
import type { HideWords } from "../operator-words.ts";
import type { SseEvent } from "../sse/split-events.ts";
import { failureOf, readResponsesError } from "./read-error.ts";

export interface ResponseEvent {
  readonly kind: "event";
  /** `response.created`, `response.output_text.delta`, `response.completed` … */
  readonly type: string;
  /** What the last event of an answer says of it; null of any other event. */
  readonly ended: Record<string, unknown> | null;
  /** The parsed event. */
  readonly data: Record<string, unknown>;
}

export type ResponseEventReading =
  | ResponseEvent
  | { readonly kind: "error"; readonly error: StreamError }
  /**
   * Nothing for the protocol. A comment is `shown` to callers; what looks like an event to a client
   * is not: one without data, a keep-alive or an end mark of another protocol.
   */
  | { readonly kind: "comment"; readonly shown: boolean }
  /** Not a JSON object with a type: the stream is broken, or none of this protocol. */
  | ({ readonly kind: "garbage" } & WordedReason);

const FOREIGN_DONE = "[DONE]";
const NOTHING: Record<string, unknown> = {};
/** The answer is over, whole or not. */
const ENDS: ReadonlySet<string> = new Set(["response.completed", "response.incomplete"]);
const FAILURES: ReadonlySet<string> = new Set(["response.failed", "response.cancelled"]);
const KEEP_ALIVES: ReadonlySet<string> = new Set(["ping", "keepalive", "keep-alive"]);

/**
 * Never throws: whatever an upstream sends is one of the kinds. The type is that of the data, else
 * that of the `event:` line.
 */
export function readResponseEvent(event: SseEvent, hide?: HideWords): ResponseEventReading {
  const text = event.data?.trim() ?? "";
  if (text === "") return { kind: "comment", shown: event.data === null && event.event === null };
  if (text === FOREIGN_DONE) return { kind: "comment", shown: false };
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    if (event.event === "error") return { kind: "error", error: readResponsesError(text, hide) };
    return { kind: "garbage", ...sayReason("event_not_json") };
  }
  if (event.event === "error") return { kind: "error", error: readResponsesError(data, hide) };
  if (!isRecord(data)) return { kind: "garbage", ...sayReason("event_no_object") };
  const { type: named } = data;
  if (named === "error" || (named === undefined && Boolean(data["error"])))
    return { kind: "error", error: readResponsesError(data, hide) };
  const type = typeof named === "string" ? named : event.event;
  if (type === null || type === "") return { kind: "garbage", ...sayReason("event_without_type") };
  if (KEEP_ALIVES.has(type)) return { kind: "comment", shown: false };
  return typed(type, named === type ? data : { ...data, type }, hide);
}

function typed(
  type: string,
  data: Record<string, unknown>,
  hide: HideWords | undefined,
): ResponseEventReading {
  const over = ENDS.has(type);
  if (!over && !FAILURES.has(type)) return { kind: "event", type, ended: null, data };
  const response = isRecord(data["response"]) ? data["response"] : NOTHING;
  const error = failureOf(over ? response : { status: "failed", ...response }, hide);
  return error === null ? { kind: "event", type, ended: response, data } : { kind: "error", error };
}
