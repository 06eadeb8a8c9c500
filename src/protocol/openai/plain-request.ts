/**
 * Reads a request of the usual kind, turns of one text each, from its bytes in one pass: nothing of
 * it is parsed but what the gateway has to know.
 */
import { isUtf8 } from "node:buffer";
import { NO_RAISES } from "../../kernel/price-raises.ts";
import {
  HIGHEST_TEMPERATURE,
  MOST_CHOICES,
  MOST_MODEL_CHARACTERS,
} from "../../contract/chat-request.ts";
import { placeOf, placesByLength } from "../json/names-by-length.ts";
import { objectOf, type JsonObject } from "../json/read-json-object.ts";
import type { Member } from "../json/scan-object.ts";
import { NO_JSON, plainEnd, skipSpace, stands, valueEnd, valueStart } from "../json/value-end.ts";
import type { PlainReading, ReadFields } from "../parsed-chat-request.ts";
import { Meter, type PromptMeasure } from "../prompt-visitor.ts";
import { ANSWER_TOKENS, MESSAGE_TOKENS } from "./walk-prompt.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const ZERO = 0x30;
const NINE = 0x39;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** Of a whole number; more may be none that is exact. */
const MOST_DIGITS = 15;

/** Members that a usual request has, the first `GUARDED` of them guarded (read-chat-request.ts). */
const NAMES = [
  "model",
  "messages",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "n",
  "temperature",
  // Passed on as they are, whatever they say.
  "top_p",
  "seed",
  "stop",
  "user",
  "presence_penalty",
  "frequency_penalty",
  "reasoning_effort",
] as const;
const GUARDED = NAMES.indexOf("temperature");
const NEEDED = 0b11;
const PLACES = placesByLength(NAMES);
const ROLES = ['"user"', '"assistant"', '"system"', '"developer"'];
const ROLE = '"role"';
const CONTENT = '"content"';
const INCLUDE_USAGE = '"include_usage"';

/**
 * What the exact reading of the body comes to (read-chat-request.ts), which is to be asked where
 * this is null: of what is refused, of parts, tools and calls, of whatever could raise the price,
 * and of what is spelled in an unusual way.
 */
export function readPlainRequest(bytes: Buffer): PlainReading | null {
  if (!isUtf8(bytes)) return null;
  const reader = new PlainReader(bytes);
  return reader.read() ? reader : null;
}

class PlainReader implements PlainReading, ReadFields {
  model = "";
  stream = false;
  includeUsage = false;
  n = 1;
  readonly cacheTtl = "5m";
  readonly raises = NO_RAISES;
  private readonly bytes: Buffer;
  private readonly meter = new Meter(null);
  private readonly members: Member[] = [];
  private newerLimit: number | null = null;
  private olderLimit: number | null = null;
  private close = 0;
  /** A bit for each name that has come. */
  private seen = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get fields(): ReadFields {
    return this;
  }

  get maxTokens(): number | null {
    return this.newerLimit ?? this.olderLimit;
  }

  get measure(): PromptMeasure {
    return this.meter.measure();
  }

  get object(): JsonObject {
    return objectOf(this.bytes, this.members, this.close);
  }

  /** False: it is not of the usual kind. To be called once. */
  read(): boolean {
    const { bytes } = this;
    let at = skipSpace(bytes, 0);
    if (bytes[at] !== OPEN_BRACE) return false;
    this.meter.unseen(ANSWER_TOKENS);
    do {
      const key = skipSpace(bytes, at + 1);
      const keyEnd = plainEnd(this.bytes, key);
      const start = keyEnd < 0 ? NO_JSON : valueStart(bytes, keyEnd);
      const end =
        start < 0
          ? NO_JSON
          : this.memberEnd(placeOf(bytes, key + 1, keyEnd - 1, NAMES, PLACES), start);
      if (end < 0) return false;
      at = skipSpace(bytes, end);
    } while (bytes[at] === COMMA);
    this.close = at;
    return (
      bytes[at] === CLOSE_BRACE &&
      skipSpace(bytes, at + 1) === bytes.length &&
      (this.seen & NEEDED) === NEEDED
    );
  }

  /** Like all that follow: after the value that begins at `at`; `NO_JSON` where that is not usual. */
  private memberEnd(index: number, at: number): number {
    const name = NAMES[index];
    const bit = 1 << index;
    if (name === undefined || (this.seen & bit) !== 0) return NO_JSON;
    this.seen |= bit;
    const end = this.knownEnd(name, at);
    if (index < GUARDED && end >= 0) this.members.push({ key: name, start: at, end });
    return end;
  }

  private knownEnd(name: (typeof NAMES)[number], at: number): number {
    switch (name) {
      case "model":
        return this.modelEnd(at);
      case "messages":
        return this.messagesEnd(at);
      case "stream":
        this.stream = stands(this.bytes, at, "true");
        return this.switchEnd(at);
      case "stream_options":
        return this.optionsEnd(at);
      case "max_tokens":
        this.olderLimit = this.countAt(at);
        return this.countEnd(at, this.olderLimit, Infinity);
      case "max_completion_tokens":
        this.newerLimit = this.countAt(at);
        return this.countEnd(at, this.newerLimit, Infinity);
      case "n":
        this.n = this.countAt(at);
        return this.countEnd(at, this.n, MOST_CHOICES);
      case "temperature":
        return this.temperatureEnd(at);
      default:
        return this.scalarEnd(at);
    }
  }

  private modelEnd(at: number): number {
    const end = plainEnd(this.bytes, at);
    if (end < 0) return NO_JSON;
    this.model = this.bytes.toString("latin1", at + 1, end - 1);
    return this.model === "" || this.model.length > MOST_MODEL_CHARACTERS ? NO_JSON : end;
  }

  private messagesEnd(from: number): number {
    const { bytes } = this;
    if (bytes[from] !== OPEN_BRACKET) return NO_JSON;
    let at = from;
    do {
      const end = this.messageEnd(skipSpace(bytes, at + 1));
      if (end < 0) return NO_JSON;
      at = skipSpace(bytes, end);
    } while (bytes[at] === COMMA);
    return bytes[at] === CLOSE_BRACKET ? at + 1 : NO_JSON;
  }

  /** Of one that has its role and its text, each once, and nothing else. */
  private messageEnd(from: number): number {
    const { bytes } = this;
    if (bytes[from] !== OPEN_BRACE) return NO_JSON;
    this.meter.unseen(MESSAGE_TOKENS);
    let at = skipSpace(bytes, from + 1);
    const isRoleFirst = stands(bytes, at, ROLE);
    at = isRoleFirst ? this.roleEnd(at) : this.contentEnd(at);
    if (at < 0) return NO_JSON;
    at = skipSpace(bytes, at);
    if (bytes[at] !== COMMA) return NO_JSON;
    at = skipSpace(bytes, at + 1);
    at = isRoleFirst ? this.contentEnd(at) : this.roleEnd(at);
    if (at < 0) return NO_JSON;
    at = skipSpace(bytes, at);
    return bytes[at] === CLOSE_BRACE ? at + 1 : NO_JSON;
  }

  private roleEnd(at: number): number {
    const { bytes } = this;
    const start = stands(bytes, at, ROLE) ? valueStart(bytes, at + ROLE.length) : NO_JSON;
    if (start < 0) return NO_JSON;
    for (const role of ROLES) if (stands(bytes, start, role)) return start + role.length;
    return NO_JSON;
  }

  private contentEnd(at: number): number {
    const { bytes } = this;
    const start = stands(bytes, at, CONTENT) ? valueStart(bytes, at + CONTENT.length) : NO_JSON;
    if (start < 0 || bytes[start] !== QUOTE) return NO_JSON;
    const end = valueEnd(bytes, start);
    if (end < 0) return NO_JSON;
    const text = bytes.toString("utf8", start + 1, end - 1);
    this.meter.text(text.includes("\\") ? String(JSON.parse(`"${text}"`)) : text);
    return end;
  }

  private switchEnd(at: number): number {
    const { bytes } = this;
    return stands(bytes, at, "true") || stands(bytes, at, "false") ? valueEnd(bytes, at) : NO_JSON;
  }

  private optionsEnd(from: number): number {
    const { bytes } = this;
    if (bytes[from] !== OPEN_BRACE) return NO_JSON;
    const key = skipSpace(bytes, from + 1);
    if (!stands(bytes, key, INCLUDE_USAGE)) return NO_JSON;
    const start = valueStart(bytes, key + INCLUDE_USAGE.length);
    const end = start < 0 ? NO_JSON : this.switchEnd(start);
    if (end < 0) return NO_JSON;
    this.includeUsage = stands(bytes, start, "true");
    const close = skipSpace(bytes, end);
    return bytes[close] === CLOSE_BRACE ? close + 1 : NO_JSON;
  }

  /** A whole number of digits alone; 0 where there is none. */
  private countAt(at: number): number {
    const { bytes } = this;
    let count = 0;
    for (let i = at; i < at + MOST_DIGITS; i++) {
      const byte = bytes[i] ?? 0;
      if (byte < ZERO || byte > NINE) break;
      count = count * 10 + byte - ZERO;
    }
    return count;
  }

  private countEnd(at: number, count: number, most: number): number {
    const digits = String(count);
    // Whatever else belongs to the number stands behind it then, and is no end of a member.
    return count >= 1 && count <= most && stands(this.bytes, at, digits)
      ? at + digits.length
      : NO_JSON;
  }

  private temperatureEnd(at: number): number {
    const end = this.scalarEnd(at);
    if (end < 0) return NO_JSON;
    const text = this.bytes.toString("latin1", at, end);
    // A text, in its quotes, is no number.
    return Number(text) >= 0 && Number(text) <= HIGHEST_TEMPERATURE ? end : NO_JSON;
  }

  private scalarEnd(at: number): number {
    const { bytes } = this;
    const byte = bytes[at];
    return byte === OPEN_BRACE || byte === OPEN_BRACKET ? NO_JSON : valueEnd(bytes, at);
  }
}
