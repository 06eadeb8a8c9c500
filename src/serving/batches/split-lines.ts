/** Takes a stream of bytes apart into its lines, in memory that does not grow with it. */

export interface ReadLine {
  /** From 1, empty ones counted. */
  readonly lineNo: number;
  /** Of its first byte in the stream. */
  readonly firstByte: number;
  /** Without its end; null for a line over the limit, whose bytes were let go. */
  readonly bytes: Buffer | null;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** A last line need not be ended. A carriage return before the end belongs to the end. */
export async function* splitLines(
  source: AsyncIterable<Buffer>,
  limitBytes: number,
): AsyncGenerator<ReadLine> {
  let lineNo = 1;
  let firstByte = 0;
  let parts: Buffer[] = [];
  let length = 0;

  function take(end: number): ReadLine {
    const line = { lineNo, firstByte, bytes: length > limitBytes ? null : whole(parts) };
    lineNo += 1;
    firstByte = end;
    parts = [];
    length = 0;
    return line;
  }

  function add(part: Buffer): void {
    length += part.length;
    if (length > limitBytes) parts = [];
    else parts.push(part);
  }

  let read = 0;
  for await (const chunk of source) {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, from);
      if (end === -1) break;
      add(chunk.subarray(from, end));
      from = end + 1;
      yield take(read + from);
    }
    add(chunk.subarray(from));
    read += chunk.length;
  }
  if (length > 0) yield take(read);
}

function whole(parts: readonly Buffer[]): Buffer {
  const [only] = parts;
  const line = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
}
