/** An error that a Messages upstream put into a stream, or hid in a body under status 200. */
import { isRecord } from "../json/is-record.ts";
import type { StreamError } from "../chat-dialect.ts";
import type { HideWords } from "../operator-words.ts";
import { readErrorValue } from "../read-upstream-error.ts";

/** The status of each error type (the Messages API's table of errors). */
const STATUSES: ReadonlyMap<unknown, number> = new Map([
  ["invalid_request_error", 400],
  ["authentication_error", 401],
  ["billing_error", 402],
  ["permission_error", 403],
  ["not_found_error", 404],
  ["request_too_large", 413],
  ["rate_limit_error", 429],
  ["api_error", 500],
  ["timeout_error", 504],
  ["overloaded_error", 529],
]);

const NO_WORDS = "The upstream reported an error without saying which.";

/**
 * `data` is the parsed event or body; a text that is no JSON is the error's words. The message is
 * safe for callers.
 */
export function readMessagesError(data: unknown, hide?: HideWords): StreamError {
  const { kind: _kind, ...read } = readErrorValue(data, { fallback: NO_WORDS, hide });
  const error = isRecord(data) && isRecord(data["error"]) ? data["error"] : {};
  return { ...read, status: STATUSES.get(error["type"]) ?? read.status };
}
