/** Cuts a byte stream into whole server-sent events without changing a byte of them (WHATWG HTML §9.2.6). */

export interface SseEvent {
  /** The event exactly as it came, its closing blank line included. */
  readonly bytes: Buffer;
  /** The last `event:` field, or null. */
  readonly event: string | null;
  /** The `data:` lines joined by `\n`; null when there is none (a comment, a stray blank line). */
  readonly data: string | null;
}

/** `too-large`: one event has grown past the limit; `events` are the whole ones before it, and the splitter takes no more. */
export type SplitResult =
  | { readonly kind: "events"; readonly events: readonly SseEvent[] }
  | { readonly kind: "too-large"; readonly events: readonly SseEvent[] };

export interface EventSplitter {
  /** Whole events completed by this chunk, in order. The events keep references into the chunk: it must not be written to afterwards. */
  push(chunk: Buffer): SplitResult;
  /** The bytes of the unfinished event: all events' bytes followed by these are exactly the input. */
  rest(): Buffer;
}

const LF = 0x0a;
const CR = 0x0d;
const EMPTY = Buffer.alloc(0);
const FIRST_PENDING_BYTES = 4096;
const BOM = "\uFEFF";

/** Reads the fields of one event. `bytes` need not end with a blank line, so that the rest of a broken-off stream can be read too. */
export function parseEvent(bytes: Buffer): SseEvent {
  let text = bytes.toString("utf8");
  if (text.startsWith(BOM)) text = text.slice(1);
  // Nearly every event is one line of data.
  if (text.startsWith("data: ") && text.endsWith("\n\n")) {
    const data = text.slice(6, -2);
    if (!data.includes("\n") && !data.includes("\r")) return { bytes, event: null, data };
  }
  let event: string | null = null;
  let data: string | null = null;
  for (const line of text.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    if (field !== "data" && field !== "event") continue;
    const from = line.charAt(colon + 1) === " " ? colon + 2 : colon + 1;
    const value = colon < 0 ? "" : line.slice(from);
    if (field === "event") event = value;
    else data = data === null ? value : `${data}\n${value}`;
  }
  return { bytes, event, data };
}

/**
 * An event ends with a blank line; lines end with `\n`, `\r\n` or `\r`. A chunk may end between the `\r` and the `\n` of the blank line:
 * where the line before ended with `\r\n` the event waits for its last byte; else it is taken at once, and a `\n` that follows after all
 * becomes the first byte of the next event's bytes.
 * `limitBytes` bounds the size of one event; work is linear in the input however it is cut.
 */
export function createEventSplitter(limitBytes: number): EventSplitter {
  // Bytes of the unfinished event that came in earlier chunks: the first `pendingBytes` of a buffer that doubles as it grows.
  let pending = EMPTY;
  let pendingBytes = 0;
  let lineIsEmpty = true;
  let afterCr = false;
  /** The last line ended with `\r\n`. */
  let afterCrLf = false;
  /** The event is whole but for the `\n` that belongs to its last `\r`. */
  let awaitsLf = false;
  let broken = false;

  function keep(piece: Buffer): void {
    if (pendingBytes + piece.length > pending.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(FIRST_PENDING_BYTES, 2 * (pendingBytes + piece.length)));
      pending.copy(grown, 0, 0, pendingBytes);
      pending = grown;
    }
    piece.copy(pending, pendingBytes);
    pendingBytes += piece.length;
  }

  function takeEvent(piece: Buffer): SseEvent {
    if (pendingBytes === 0) return parseEvent(piece);
    keep(piece);
    const bytes = pending.subarray(0, pendingBytes);
    pending = EMPTY;
    pendingBytes = 0;
    return parseEvent(bytes);
  }

  function push(chunk: Buffer): SplitResult {
    const events: SseEvent[] = [];
    if (broken) return { kind: "too-large", events };
    let eventStart = 0;
    let position = 0;
    if (afterCr && chunk.length > 0) {
      afterCrLf = chunk[0] === LF;
      if (afterCrLf) position = 1;
      afterCr = false;
      if (awaitsLf && pendingBytes + position <= limitBytes) {
        events.push(takeEvent(chunk.subarray(0, position)));
        eventStart = position;
      }
      awaitsLf = false;
    }
    let lf = chunk.indexOf(LF, position);
    let cr = chunk.indexOf(CR, position);
    for (;;) {
      const end = lf < 0 ? cr : cr < 0 ? lf : Math.min(lf, cr);
      if (end < 0) {
        if (position < chunk.length) lineIsEmpty = false;
        break;
      }
      const blank = lineIsEmpty && end === position;
      position = end + 1;
      const hadCrLf = afterCrLf;
      afterCrLf = false;
      if (end === cr) {
        afterCrLf = chunk[position] === LF;
        if (afterCrLf) position += 1;
        else afterCr = position === chunk.length;
        cr = chunk.indexOf(CR, position);
      }
      if (lf >= 0 && lf < position) lf = chunk.indexOf(LF, position);
      lineIsEmpty = true;
      if (!blank) continue;
      if (afterCr && hadCrLf) {
        awaitsLf = true;
        break;
      }
      if (pendingBytes + position - eventStart > limitBytes) break;
      events.push(takeEvent(chunk.subarray(eventStart, position)));
      eventStart = position;
    }
    if (pendingBytes + chunk.length - eventStart > limitBytes) {
      broken = true;
      keep(chunk.subarray(eventStart));
      return { kind: "too-large", events };
    }
    if (eventStart < chunk.length) keep(chunk.subarray(eventStart));
    return { kind: "events", events };
  }

  return { push, rest: () => pending.subarray(0, pendingBytes) };
}
