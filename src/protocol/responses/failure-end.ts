/** Whether the bytes that end a stream say of a response that it failed, and for good. */
import { isRecord } from "../json/is-record.ts";
import { isAskedAgain } from "./failure-code.ts";

const BLANK_LINE = Buffer.from("\n\n");
const FAILED = Buffer.from("event: response.failed\n");
const DATA = "data: ";

/** Its events are ours, each with its `event:` line and one line of data. */
export function endsInFailure(last: Buffer): boolean {
  const before = last.subarray(0, -BLANK_LINE.length).lastIndexOf(BLANK_LINE);
  const start = before < 0 ? 0 : before + BLANK_LINE.length;
  const event = last.subarray(start);
  if (!event.subarray(0, FAILED.length).equals(FAILED)) return false;
  const data: unknown = JSON.parse(event.toString("utf8", FAILED.length + DATA.length));
  const response = isRecord(data) ? data["response"] : null;
  const error = isRecord(response) ? response["error"] : null;
  return isRecord(error) && !isAskedAgain(error["code"]);
}
