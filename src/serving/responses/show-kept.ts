/**
 * The last bytes of an answer, read for the response in them and written again as it was kept, or
 * was not.
 */
import { isRecord } from "../../protocol/json/is-record.ts";

type Fields = Record<string, unknown>;

/** The response that an answer ends with, and the answer's bytes with another in its place. */
export interface ShownResponse {
  readonly response: Fields;
  put(response: Fields): Buffer;
}

/** Events after which nothing of a response follows, and which have all of it. */
const LAST: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete"]);
const BLANK_LINE = "\n\n";
const DATA = "data: ";

/** Of a whole answer. Null: it is no response that came to an end. */
export function responseInBody(body: Buffer): ShownResponse | null {
  const response: unknown = JSON.parse(body.toString());
  if (!isRecord(response) || response["object"] !== "response") return null;
  return { response, put: (put) => Buffer.from(JSON.stringify(put)) };
}

/** Of a stream's last events, as this gateway writes them. Null: none of them ends a response. */
export function responseInEvents(last: Buffer): ShownResponse | null {
  const events = last.toString().split(BLANK_LINE);
  for (const [at, event] of events.entries()) {
    const from = event.indexOf(DATA);
    if (from < 0) continue;
    const value: unknown = JSON.parse(event.slice(from + DATA.length));
    if (!isRecord(value) || !LAST.has(value["type"]) || !isRecord(value["response"])) continue;
    return {
      response: value["response"],
      put: (response) => {
        const data = event.slice(0, from) + DATA + JSON.stringify({ ...value, response });
        return Buffer.from(events.with(at, data).join(BLANK_LINE));
      },
    };
  }
  return null;
}
