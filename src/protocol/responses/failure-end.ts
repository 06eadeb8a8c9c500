/** Whether the bytes that end a stream are those of a response that failed. */

const BLANK_LINE = Buffer.from("\n\n");
const FAILED = Buffer.from("event: response.failed\n");

/** Its events are ours, each with its `event:` line. */
export function endsInFailure(last: Buffer): boolean {
  const before = last.subarray(0, -BLANK_LINE.length).lastIndexOf(BLANK_LINE);
  const start = before < 0 ? 0 : before + BLANK_LINE.length;
  return last.subarray(start, start + FAILED.length).equals(FAILED);
}
