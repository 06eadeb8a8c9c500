/** An error that a Responses upstream put into a stream, or hid in a body under status 200. */
import type { StreamError } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";
import type { HideWords } from "../operator-words.ts";
import { readErrorValue } from "../read-upstream-error.ts";

const NO_WORDS = "The upstream reported an error without saying which.";

/** The type of the event is no type of error. */
function withoutEventType(data: unknown): unknown {
  return isRecord(data) && data["type"] === "error" ? { ...data, type: undefined } : data;
}

/**
 * `data` is an `error` event, a body, or `response.error`; a text that is no JSON is the error's
 * words. The message is safe for callers.
 */
export function readResponsesError(data: unknown, hide?: HideWords): StreamError {
  const { kind: _kind, ...error } = readErrorValue(withoutEventType(data), {
    fallback: NO_WORDS,
    hide,
  });
  return error;
}

/** What a response that failed, or was given up, says of it; null for one that did not. */
export function failureOf(response: Record<string, unknown>, hide?: HideWords): StreamError | null {
  const { status, error } = response;
  if (isRecord(error) || (typeof error === "string" && error !== ""))
    return readResponsesError({ error }, hide);
  if (status === "failed") return { message: NO_WORDS, status: null };
  return status === "cancelled"
    ? { message: "The upstream gave up its answer.", status: null }
    : null;
}
