/**
 * Reads answers of HTTP/1.1 from the bytes of one connection, one after the other (RFC 9112). What
 * is not quite as it has to be is refused, since nothing then tells where the next answer begins.
 */

/** Names in lower case; one that came more than once has all its values. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Hears of each answer its head, its data, its end. */
export interface AnswerSink {
  onHead(status: number, headers: ResponseHeaders): void;
  /** Never empty; a view of what `feed` was given. */
  onBody(bytes: Buffer): void;
  onComplete(after: AfterAnswer): void;
}

/** What an answer said of its connection. */
export interface AfterAnswer {
  /** Another answer may come on it. */
  readonly reusable: boolean;
  /** How long the peer keeps it when nothing is asked; null: it does not tell. */
  readonly idleSeconds: number | null;
}

/** What has come is no answer of HTTP/1.1. */
export class MalformedAnswer extends Error {
  override name = "MalformedAnswer";
}

/** Of a head, and of what may follow the last chunk. */
const MOST_HEAD_BYTES = 16_384;
/** The size of a chunk, and its extensions. */
const MOST_SIZE_LINE_BYTES = 1_024;
/** A chunk of 16 TB or more is none. */
const MOST_SIZE_DIGITS = 11;
const LINE_END = "\r\n";
const HEAD_END = "\r\n\r\n";
const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const SEMICOLON = 0x3b;

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const LENGTH = /^\d{1,15}$/;
const IDLE_SECONDS = /(?:^|[\s,;])timeout=(\d{1,6})(?:$|[\s,;])/i;

const SWITCHING_PROTOCOLS = 101;
const FIRST_FINAL = 200;
const NO_CONTENT = 204;
const NOT_MODIFIED = 304;

/** By the code of a character: 1 where names of fields may have it, and where values may. */
const IN_NAMES = charactersOf(/[\w!#$%&'*+.^`|~-]/);
const IN_VALUES = charactersOf(/[\t\x20-\x7e\x80-\xff]/);

type Place =
  /** Before a head, or in it. */
  | "head"
  /** In a body whose length is known. */
  | "counted"
  /** In a body that its connection's end ends. */
  | "to-the-end"
  /** Before the size of a chunk, or in it. */
  | "size"
  | "chunk"
  /** Before the line end behind a chunk. */
  | "behind-chunk"
  /** Behind the last chunk. */
  | "trailers"
  /** Behind the answer: the next one is not asked for yet. */
  | "over";

/** A class, because there is one for every connection: its methods are shared. */
export class AnswerReader {
  private readonly sink: AnswerSink;
  private place: Place = "over";
  /** Bytes of the body, or of the chunk, that are still to come. */
  private left = 0;
  /** The beginning of what can only be read whole. */
  private held: Buffer | null = null;
  private reusable = true;
  private idleText = "";
  private idleSeconds: number | null = null;
  private stopped = false;

  constructor(sink: AnswerSink) {
    this.sink = sink;
  }

  /** An answer is asked for. */
  begin(): void {
    this.place = "head";
  }

  /** Leaves what is behind the bytes that the sink is hearing of unread. */
  stop(): void {
    this.stopped = true;
  }

  /**
   * Reads on: how many of the bytes it has taken, which are all unless it was stopped or the answer
   * ended before. Throws MalformedAnswer. The bytes must stay as they are.
   */
  feed(bytes: Buffer): number {
    this.stopped = false;
    let at = 0;
    while (this.place !== "over" && !this.stopped) {
      if (this.place === "counted" && this.left === 0) this.complete();
      else if (at === bytes.length) break;
      else if (this.place === "counted" || this.place === "chunk") at = this.readCounted(bytes, at);
      else if (this.place === "to-the-end") at = this.readToTheEnd(bytes, at);
      else at = this.readFraming(bytes, at);
    }
    return at;
  }

  /** The connection has ended; false: within an answer, which is not whole. */
  end(): boolean {
    if (this.place !== "to-the-end") return this.place === "over";
    this.complete();
    return true;
  }

  private readToTheEnd(bytes: Buffer, at: number): number {
    this.sink.onBody(at === 0 ? bytes : bytes.subarray(at));
    return bytes.length;
  }

  private readCounted(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.left);
    this.left -= end - at;
    if (this.left === 0 && this.place === "chunk") this.place = "behind-chunk";
    this.sink.onBody(bytes.subarray(at, end));
    return end;
  }

  /** What is between bodies is read whole, and waits until it is. */
  private readFraming(bytes: Buffer, from: number): number {
    const { held } = this;
    const text = held === null ? bytes : Buffer.concat([held, bytes.subarray(from)]);
    const at = held === null ? from : 0;
    this.held = null;
    const next = this.takeFraming(text, at);
    if (next === -1) {
      this.held = Buffer.from(text.subarray(at));
      return bytes.length;
    }
    // What was held is shorter than what is read whole.
    return held === null ? next : from + next - held.length;
  }

  /** Where it ends; -1: not yet. */
  private takeFraming(text: Buffer, at: number): number {
    switch (this.place) {
      case "head":
        return this.takeHead(text, at);
      case "size":
        return this.takeSize(text, at);
      case "behind-chunk":
        return this.takeLineEnd(text, at);
      default:
        return this.takeTrailers(text, at);
    }
  }

  private takeHead(text: Buffer, at: number): number {
    const end = text.indexOf(HEAD_END, at, "latin1");
    if ((end === -1 ? text.length : end) - at > MOST_HEAD_BYTES)
      throw new MalformedAnswer("the head is too large");
    if (end === -1) {
      // What begins otherwise would be waited for in vain.
      if (!isBeginOfHead(text, at)) throw new MalformedAnswer("no HTTP/1.1 status line");
      return -1;
    }
    this.readHead(text.toString("latin1", at, end));
    return end + HEAD_END.length;
  }

  private readHead(head: string): void {
    const lineEnd = head.indexOf(LINE_END);
    const line = lineEnd === -1 ? head : head.slice(0, lineEnd);
    const [, minor, code] = STATUS_LINE.exec(line) ?? [];
    if (code === undefined) throw new MalformedAnswer("no HTTP/1.1 status line");
    const status = Number(code);
    const headers = lineEnd === -1 ? {} : readFields(head, lineEnd + LINE_END.length);
    if (status < FIRST_FINAL) {
      if (status === SWITCHING_PROTOCOLS)
        throw new MalformedAnswer("a change of protocol that was not asked for");
      return;
    }
    this.beginBody(status, minor === "1", headers);
    this.sink.onHead(status, headers);
  }

  private beginBody(status: number, isNew: boolean, headers: ResponseHeaders): void {
    const coding = headers["transfer-encoding"];
    const length = headers["content-length"];
    const connection = tokensOf(headers["connection"]);
    this.reusable = isNew ? !connection.includes("close") : connection.includes("keep-alive");
    this.readIdle(headers["keep-alive"]);
    if (coding !== undefined && length !== undefined)
      throw new MalformedAnswer("both a length and chunks");
    if (status === NO_CONTENT || status === NOT_MODIFIED) {
      this.place = "counted";
      this.left = 0;
    } else if (coding !== undefined) {
      if (tokensOf(coding) !== "chunked") throw new MalformedAnswer("an unknown transfer coding");
      this.place = "size";
    } else if (length !== undefined) {
      if (typeof length !== "string" || !LENGTH.test(length))
        throw new MalformedAnswer("no valid content-length");
      this.place = "counted";
      this.left = Number(length);
    } else {
      this.place = "to-the-end";
      this.reusable = false;
    }
  }

  /** The same for all answers of most connections. */
  private readIdle(keepAlive: string | string[] | undefined): void {
    const text = typeof keepAlive === "string" ? keepAlive : "";
    if (text === this.idleText) return;
    this.idleText = text;
    const seconds = IDLE_SECONDS.exec(text)?.[1];
    this.idleSeconds = seconds === undefined ? null : Number(seconds);
  }

  private takeSize(text: Buffer, at: number): number {
    let size = 0;
    let end = at;
    for (; end < text.length; end += 1) {
      const digit = hexDigit(text[end] ?? 0);
      if (digit < 0) break;
      if (end - at === MOST_SIZE_DIGITS) throw new MalformedAnswer("a chunk is too large");
      size = size * 16 + digit;
    }
    if (end === text.length) return -1;
    if (end === at) throw new MalformedAnswer("a chunk without a size");
    if (text[end] !== CR) end = endOfExtensions(text, end, at);
    if (end === -1 || end + 1 >= text.length) return -1;
    if (text[end + 1] !== LF) throw new MalformedAnswer("a chunk's size does not end its line");
    this.left = size;
    this.place = size === 0 ? "trailers" : "chunk";
    return end + LINE_END.length;
  }

  private takeLineEnd(text: Buffer, at: number): number {
    if (text[at] !== CR || (at + 1 < text.length && text[at + 1] !== LF))
      throw new MalformedAnswer("a chunk is longer than its size");
    if (at + 1 === text.length) return -1;
    this.place = "size";
    return at + LINE_END.length;
  }

  private takeTrailers(text: Buffer, at: number): number {
    const isNone = text[at] === CR && text[at + 1] === LF;
    const end = isNone ? at - LINE_END.length : text.indexOf(HEAD_END, at, "latin1");
    if (end === -1 && !isNone) {
      if (text.length - at > MOST_HEAD_BYTES)
        throw new MalformedAnswer("the trailers are too large");
      return -1;
    }
    if (end > at) readFields(text.toString("latin1", at, end), 0);
    this.complete();
    return end + HEAD_END.length;
  }

  private complete(): void {
    this.place = "over";
    this.sink.onComplete({ reusable: this.reusable, idleSeconds: this.idleSeconds });
  }
}

function charactersOf(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) =>
    pattern.test(String.fromCharCode(code)) ? 1 : 0,
  );
}

/** Where the first character behind `at` is that is none of these. */
function endOf(characters: Uint8Array, text: string, at: number): number {
  let end = at;
  while (end < text.length && characters[text.charCodeAt(end)] === 1) end += 1;
  return end;
}

/** The fields of a head, or of trailers, that begin there. */
function readFields(head: string, from: number): ResponseHeaders {
  const fields: Record<string, string | string[]> = {};
  for (let at = from; at < head.length;) {
    const colon = endOf(IN_NAMES, head, at);
    // A name is all before the colon: a line that goes on with the one before it has none.
    if (colon === at || head[colon] !== ":") throw new MalformedAnswer("no valid header field");
    const name = head.slice(at, colon).toLowerCase();
    const end = endOf(IN_VALUES, head, colon + 1);
    if (end < head.length && !head.startsWith(LINE_END, end))
      throw new MalformedAnswer("a control character in a header field");
    const value = withoutBlanks(head, colon + 1, end);
    const before = fields[name];
    if (before === undefined || !Object.hasOwn(fields, name)) fields[name] = value;
    else if (typeof before === "string") fields[name] = [before, value];
    else before.push(value);
    at = end + LINE_END.length;
  }
  return fields;
}

function withoutBlanks(text: string, from: number, to: number): string {
  let begin = from;
  let end = to;
  while (begin < end && isBlank(text.charCodeAt(begin))) begin += 1;
  while (end > begin && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(begin, end);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function tokensOf(value: string | string[] | undefined): string {
  if (value === undefined) return "";
  return (typeof value === "string" ? value : value.join(", ")).toLowerCase();
}

function isBeginOfHead(text: Buffer, at: number): boolean {
  const begin = "HTTP/1.";
  const length = Math.min(begin.length, text.length - at);
  return text.toString("latin1", at, at + length) === begin.slice(0, length);
}

/** Where the line end behind a chunk's extensions begins; -1: it has not come. */
function endOfExtensions(text: Buffer, from: number, at: number): number {
  let begin = from;
  while (isBlank(text[begin] ?? 0)) begin += 1;
  if (begin < text.length && text[begin] !== SEMICOLON && text[begin] !== CR)
    throw new MalformedAnswer("a chunk's size is no number");
  const end = text.indexOf(CR, begin);
  if ((end === -1 ? text.length : end) - at > MOST_SIZE_LINE_BYTES)
    throw new MalformedAnswer("a chunk's extensions are too long");
  const extensions = text.toString("latin1", begin, end === -1 ? text.length : end);
  if (endOf(IN_VALUES, extensions, 0) < extensions.length)
    throw new MalformedAnswer("a chunk's extensions are no text");
  return end;
}

/** -1 for what is none. */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  if (byte >= 0x61 && byte <= 0x66) return byte - 0x57;
  if (byte >= 0x41 && byte <= 0x46) return byte - 0x37;
  return -1;
}
