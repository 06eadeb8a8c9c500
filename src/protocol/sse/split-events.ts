/**
 * Cuts a byte stream into whole server-sent events without changing a byte of them (WHATWG
 * HTML §9.2.6).
 */

export interface SseEvent {
  /** The event exactly as it came, its closing blank line included. */
  readonly bytes: Buffer;
  /** The last `event:` field, or null. */
  readonly event: string | null;
  /** The `data:` lines joined by `\n`; null when there is none (a comment, a stray blank line). */
  readonly data: string | null;
}

/**
 * `too-large`: one event has grown past the limit; `events` are the whole ones before it, and the
 * splitter takes no more.
 */
export type SplitResult =
  | { readonly kind: "events"; readonly events: readonly SseEvent[] }
  | { readonly kind: "too-large"; readonly events: readonly SseEvent[] };

export interface EventSplitter {
  /**
   * Whole events completed by this chunk, in order. The events keep references into the chunk: it
   * must not be written to afterwards.
   */
  push(chunk: Buffer): SplitResult;
  /**
   * The next byte begins a new event and nothing waits: an event of plain `\n` lines that is taken
   * without the splitter does not disturb it.
   */
  readonly atBoundary: boolean;
  /**
   * The bytes of the unfinished event: all events' bytes followed by these are exactly the input.
   */
  rest(): Buffer;
}

const LF = 0x0a;
const CR = 0x0d;
const EMPTY = Buffer.alloc(0);
const FIRST_PENDING_BYTES = 256;
const BOM = "\uFEFF";
const DATA = Buffer.from("data: ");
const EVENT = Buffer.from("event: ");

function beginsWith(bytes: Buffer, at: number, word: Buffer): boolean {
  for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word[i]) return false;
  return true;
}

/**
 * The event that begins at `from`, where it is one line of data and a blank line, with a line of
 * its name before it or not: nearly every event is. Null for any other, and where it is not whole.
 * `bytes` holds no `\r`.
 */
function plainEventAt(bytes: Buffer, from: number): SseEvent | null {
  let at = from;
  let event: string | null = null;
  if (beginsWith(bytes, at, EVENT)) {
    const nameEnd = bytes.indexOf(LF, at);
    if (nameEnd < 0) return null;
    event = bytes.toString("utf8", at + EVENT.length, nameEnd);
    at = nameEnd + 1;
  }
  if (!beginsWith(bytes, at, DATA)) return null;
  const dataEnd = bytes.indexOf(LF, at);
  if (dataEnd < 0 || bytes[dataEnd + 1] !== LF) return null;
  const end = dataEnd + 2;
  const own = from === 0 && end === bytes.length ? bytes : bytes.subarray(from, end);
  return { bytes: own, event, data: bytes.toString("utf8", at + DATA.length, dataEnd) };
}

/**
 * Reads the fields of one event. `bytes` need not end with a blank line, so that the rest of a
 * broken-off stream can be read too.
 */
export function parseEvent(bytes: Buffer): SseEvent {
  const plain = bytes.includes(CR) ? null : plainEventAt(bytes, 0);
  return plain?.bytes === bytes ? plain : parseAnyEvent(bytes);
}

function parseAnyEvent(bytes: Buffer): SseEvent {
  let text = bytes.toString("utf8");
  if (text.startsWith(BOM)) text = text.slice(1);
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
 * An event ends with a blank line; lines end with `\n`, `\r\n` or `\r`. A chunk may end between the
 * `\r` and the `\n` of the blank line: where the line before ended with `\r\n` the event waits for
 * its last byte; else it is taken at once, and a `\n` that follows after all becomes the first byte
 * of the next event's bytes. `limitBytes` bounds the size of one event; work is linear in the input
 * however it is cut.
 */
export function createEventSplitter(limitBytes: number): EventSplitter {
  return new Splitter(limitBytes);
}

class Splitter implements EventSplitter {
  readonly #limitBytes: number;
  // Bytes of the unfinished event that came in earlier chunks: the first `pendingBytes` of a buffer
  // that doubles as it grows.
  #pending = EMPTY;
  #pendingBytes = 0;
  #lineIsEmpty = true;
  #afterCr = false;
  /** The last line ended with `\r\n`. */
  #afterCrLf = false;
  /** The event is whole but for the `\n` that belongs to its last `\r`. */
  #awaitsLf = false;
  #broken = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get atBoundary(): boolean {
    return this.#pendingBytes === 0 && !this.#afterCr && !this.#afterCrLf && !this.#broken;
  }

  rest(): Buffer {
    return this.#pending.subarray(0, this.#pendingBytes);
  }

  push(chunk: Buffer): SplitResult {
    const events: SseEvent[] = [];
    if (this.#broken) return { kind: "too-large", events };
    const from = this.atBoundary && !chunk.includes(CR) ? this.#takePlain(chunk, events) : 0;
    return from === chunk.length ? { kind: "events", events } : this.#takeAny(chunk, from, events);
  }

  /** Takes plain events as long as there are some; returns where the next one begins. */
  #takePlain(chunk: Buffer, events: SseEvent[]): number {
    let from = 0;
    while (from < chunk.length) {
      const event = plainEventAt(chunk, from);
      if (event === null || event.bytes.length > this.#limitBytes) break;
      events.push(event);
      from += event.bytes.length;
    }
    return from;
  }

  #takeAny(chunk: Buffer, from: number, events: SseEvent[]): SplitResult {
    const limitBytes = this.#limitBytes;
    let eventStart = from;
    let position = from;
    if (this.#afterCr && chunk.length > 0) {
      this.#afterCrLf = chunk[0] === LF;
      if (this.#afterCrLf) position = 1;
      this.#afterCr = false;
      if (this.#awaitsLf && this.#pendingBytes + position <= limitBytes) {
        events.push(this.#takeEvent(chunk.subarray(0, position)));
        eventStart = position;
      }
      this.#awaitsLf = false;
    }
    let lf = chunk.indexOf(LF, position);
    let cr = chunk.indexOf(CR, position);
    for (;;) {
      const end = lf < 0 ? cr : cr < 0 ? lf : Math.min(lf, cr);
      if (end < 0) {
        if (position < chunk.length) this.#lineIsEmpty = false;
        break;
      }
      const blank = this.#lineIsEmpty && end === position;
      position = end + 1;
      const hadCrLf = this.#afterCrLf;
      this.#afterCrLf = false;
      if (end === cr) {
        this.#afterCrLf = chunk[position] === LF;
        if (this.#afterCrLf) position += 1;
        else this.#afterCr = position === chunk.length;
        cr = chunk.indexOf(CR, position);
      }
      if (lf >= 0 && lf < position) lf = chunk.indexOf(LF, position);
      this.#lineIsEmpty = true;
      if (!blank) continue;
      if (this.#afterCr && hadCrLf) {
        this.#awaitsLf = true;
        break;
      }
      if (this.#pendingBytes + position - eventStart > limitBytes) break;
      events.push(this.#takeEvent(chunk.subarray(eventStart, position)));
      eventStart = position;
    }
    if (this.#pendingBytes + chunk.length - eventStart > limitBytes) {
      this.#broken = true;
      this.#keep(chunk.subarray(eventStart));
      return { kind: "too-large", events };
    }
    if (eventStart < chunk.length) this.#keep(chunk.subarray(eventStart));
    return { kind: "events", events };
  }

  #takeEvent(piece: Buffer): SseEvent {
    if (this.#pendingBytes === 0) return parseEvent(piece);
    this.#keep(piece);
    const bytes = this.#pending.subarray(0, this.#pendingBytes);
    this.#pending = EMPTY;
    this.#pendingBytes = 0;
    return parseEvent(bytes);
  }

  #keep(piece: Buffer): void {
    const size = this.#pendingBytes + piece.length;
    if (size > this.#pending.length) {
      const grown = Buffer.allocUnsafe(Math.max(FIRST_PENDING_BYTES, 2 * size));
      this.#pending.copy(grown, 0, 0, this.#pendingBytes);
      this.#pending = grown;
    }
    piece.copy(this.#pending, this.#pendingBytes);
    this.#pendingBytes = size;
  }
}
