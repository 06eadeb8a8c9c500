/**
 * Takes the list of a message batch apart while its body comes: one request at a time, in memory
 * that does not grow with their number. What stands around them is small, and is read as JSON at
 * the end.
 */
import { Fault } from "../../kernel/faults.ts";

export interface SplitRequest {
  /** In the list, from 0. */
  readonly index: number;
  /** Of its first byte in the body. */
  readonly firstByte: number;
  /** From brace to brace; null for one over the limit, whose bytes were let go. */
  readonly bytes: Buffer | null;
}

/** The member whose list they are. */
const LIST = "requests";
/** What stays of a request in the frame. */
const STAND_IN = Buffer.from("{}");
const FRAME_LIMIT_BYTES = 4 * 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SPACE = 0x20;

/** Bytes of something that may lie in several chunks. */
function createCollector(limitBytes: number): {
  add(part: Buffer): void;
  /** Null where it was more than the limit. */
  take(): Buffer | null;
} {
  let parts: Buffer[] = [];
  let length = 0;
  return {
    add(part) {
      length += part.length;
      if (length > limitBytes) parts = [];
      else if (part.length > 0) parts.push(part);
    },
    take() {
      const taken = length > limitBytes ? null : Buffer.concat(parts);
      parts = [];
      length = 0;
      return taken;
    },
  };
}

/**
 * Tells each request as soon as it is whole, and goes on when that is done. Resolves with the frame:
 * the body with `{}` in place of each request. Throws a Fault for a body that breaks off, or has
 * too much around its requests; whether either is JSON is the reader's to say.
 */
export async function splitRequests(
  source: AsyncIterable<Buffer>,
  limitBytes: number,
  onRequest: (request: SplitRequest) => Promise<void>,
): Promise<Buffer> {
  const frame = createCollector(FRAME_LIMIT_BYTES);
  const request = createCollector(limitBytes);
  let depth = 0;
  let index = 0;
  /** Of the chunk that is looked at. */
  let base = 0;
  let inString = false;
  let escaped = false;
  /** Where the request under way began; null between two of them. */
  let firstByte: number | null = null;
  /** At depth 1: whether a key comes next, the key that was last, as it is written, and whether its value comes. */
  let keyNext = false;
  const key = createCollector(LONGEST_KEY);
  let keyStart: number | null = null;
  let lastKey = "";
  let valueNext = false;
  let inList = false;

  for await (const chunk of source) {
    /** From where on the bytes belong to the request, or else to the frame. */
    let from = 0;
    if (keyStart !== null) keyStart = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) {
          inString = false;
          if (keyStart !== null) {
            key.add(chunk.subarray(keyStart, at));
            lastKey = spelled(key.take());
            keyStart = null;
          }
        }
        continue;
      }
      if (byte <= SPACE) continue;
      if (byte === QUOTE) {
        inString = true;
        if (depth === 1 && keyNext) {
          keyNext = false;
          keyStart = at + 1;
        } else valueNext = false;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (depth === 0) keyNext = byte === OPEN_BRACE;
        if (depth === 1) inList = valueNext && byte === OPEN_BRACKET && lastKey === LIST;
        valueNext = false;
        if (depth === 2 && inList && byte === OPEN_BRACE) {
          frame.add(chunk.subarray(from, at));
          from = at;
          firstByte = base + at;
        }
        depth += 1;
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        depth -= 1;
        if (depth < 0) throw INCOMPLETE;
        if (depth === 1) inList = false;
        if (depth === 2 && firstByte !== null) {
          request.add(chunk.subarray(from, at + 1));
          from = at + 1;
          const whole = { index, firstByte, bytes: request.take() };
          firstByte = null;
          index += 1;
          frame.add(STAND_IN);
          await onRequest(whole);
        }
      } else if (depth === 1) {
        if (byte === COMMA) keyNext = true;
        valueNext = byte === COLON;
      }
    }
    if (keyStart !== null) key.add(chunk.subarray(keyStart));
    (firstByte === null ? frame : request).add(chunk.subarray(from));
    base += chunk.length;
  }
  if (depth !== 0 || inString) throw INCOMPLETE;
  const around = frame.take();
  if (around === null)
    throw new Fault("invalid_request", {
      message: `${LIST}: the body has more than ${FRAME_LIMIT_BYTES / 1024 / 1024} MB around its requests.`,
      param: LIST,
    });
  return around;
}

const LONGEST_KEY = 1024;

const INCOMPLETE = new Fault("invalid_request", {
  message: "The body is not a complete JSON object.",
});

/** A key may be written with escapes. */
function spelled(key: Buffer | null): string {
  const text = key?.toString("utf8") ?? "";
  if (!text.includes("\\")) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}
