/**
 * Reads a whole answer of the usual kind, one text with its usage, from its bytes: next to nothing
 * of it is parsed, because its caller gets it as it came.
 */
import type { UsedRaises } from "../../kernel/price-raises.ts";
import type { AnswerReading } from "../chat-dialect.ts";
import { placeOf, placesByLength, type PlacesByLength } from "../json/names-by-length.ts";
import type { ByteRange } from "../json/splice-bytes.ts";
import { NO_JSON, plainEnd, skipSpace, stands, valueEnd, valueStart } from "../json/value-end.ts";
import { UsedSoFar } from "../raises/read-used.ts";
import { ABSENT_USAGE, type UsageReading } from "../usage-reading.ts";
import { isFailedFinish } from "./finish-words.ts";
import { readUsage } from "./read-usage.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const SMALL_N = 0x6e;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const QUOTES_BYTES = 2;
const NULL = "null";
/** How most answers end. */
const STOPPED = '"stop"';
const NOTHINGS: readonly string[] = [NULL, '""', "[]"];

/** The members that say something to the gateway, those of one object together. */
const NAMES = [
  "model",
  "usage",
  "object",
  "choices",
  "error",
  "service_tier",
  "speed",
  "inference_geo",
  "message",
  "finish_reason",
  "delta",
  "content",
  "refusal",
  "annotations",
  "tool_calls",
  "audio",
  "reasoning",
  "function_call",
  "reasoning_content",
] as const;

const OF_CHOICE = NAMES.indexOf("message");
const OF_MESSAGE = NAMES.indexOf("content");
const ANSWER = placesByLength(NAMES, 0, OF_CHOICE);
const CHOICE = placesByLength(NAMES, OF_CHOICE, OF_MESSAGE);
const MESSAGE = placesByLength(NAMES, OF_MESSAGE);
const CHOICES_BIT = 1 << NAMES.indexOf("choices");

/**
 * What the exact reading of the body comes to (read-completion.ts), which is to be asked where this
 * is null: of what is no JSON or no completion, of errors, of an answer with several choices, with
 * calls or reasoning beside its text or without a usage, and of what is spelled in an unusual way.
 */
export function readPlainCompletion(
  bytes: Buffer,
): Extract<AnswerReading, { kind: "answer" }> | null {
  const completion = new PlainCompletion(bytes);
  return completion.read() ? completion : null;
}

class PlainCompletion {
  readonly kind = "answer";
  hasContent = false;
  finishReason: string | null = null;
  model: string | null = null;
  modelAt: ByteRange | null = null;
  usage: UsageReading = ABSENT_USAGE;
  reportedUsage: Record<string, unknown> | null = null;
  private readonly usedSoFar = new UsedSoFar();
  private readonly bytes: Buffer;
  /** A bit for each name that has come. */
  private seen = 0;
  private contentStart = 0;
  private contentEnd = 0;
  private variants: Record<string, unknown> | null = null;
  private parsed: Record<string, unknown> | null = null;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get used(): UsedRaises {
    return this.usedSoFar.used;
  }

  get text(): string {
    return this.hasContent
      ? String(JSON.parse(this.bytes.toString("utf8", this.contentStart, this.contentEnd)))
      : "";
  }

  get data(): Record<string, unknown> {
    // It was an object when it was read.
    this.parsed ??= JSON.parse(this.bytes.toString("utf8")) as Record<string, unknown>;
    return this.parsed;
  }

  /** False: it is not of the usual kind. To be called once. */
  read(): boolean {
    const { bytes } = this;
    const end = this.objectEnd(skipSpace(bytes, 0), ANSWER);
    if (end < 0 || skipSpace(bytes, end) !== bytes.length) return false;
    if ((this.seen & CHOICES_BIT) === 0 || this.usage === ABSENT_USAGE) return false;
    if (this.variants !== null) this.usedSoFar.variantsOf(this.variants);
    this.usedSoFar.usage(this.reportedUsage);
    return true;
  }

  /** Like all that follow: after what begins at `at`; `NO_JSON` where that is not usual. */
  private objectEnd(from: number, places: PlacesByLength): number {
    const { bytes } = this;
    if (bytes[from] !== OPEN_BRACE) return NO_JSON;
    let at = skipSpace(bytes, from + 1);
    if (bytes[at] === CLOSE_BRACE) return at + 1;
    for (;;) {
      const keyEnd = plainEnd(this.bytes, at);
      const value = keyEnd < 0 ? NO_JSON : valueStart(bytes, keyEnd);
      if (value < 0) return NO_JSON;
      at = this.memberEnd(placeOf(bytes, at + 1, keyEnd - 1, NAMES, places), value);
      if (at < 0) return NO_JSON;
      at = skipSpace(bytes, at);
      if (bytes[at] === CLOSE_BRACE) return at + 1;
      if (bytes[at] !== COMMA) return NO_JSON;
      at = skipSpace(bytes, at + 1);
    }
  }

  private memberEnd(index: number, at: number): number {
    if (index < 0) return valueEnd(this.bytes, at);
    const bit = 1 << index;
    if ((this.seen & bit) !== 0) return NO_JSON;
    this.seen |= bit;
    const name = NAMES[index];
    switch (name) {
      case "model":
        return this.modelEnd(at);
      case "usage":
        return this.usageEnd(at);
      case "error":
        return stands(this.bytes, at, NULL) ? at + NULL.length : NO_JSON;
      case "object":
        return stands(this.bytes, at, '"error"') ? NO_JSON : plainEnd(this.bytes, at);
      case "choices":
        return this.choicesEnd(at);
      case "service_tier":
      case "speed":
      case "inference_geo":
        return this.variantEnd(name, at);
      case "message":
        return this.objectEnd(at, MESSAGE);
      case "finish_reason":
        return this.finishEnd(at);
      case "content":
        return this.contentOf(at);
      default:
        return this.nothingEnd(at);
    }
  }

  private modelEnd(at: number): number {
    const end = plainEnd(this.bytes, at);
    if (end < 0) return NO_JSON;
    this.model = this.textBetween(at, end);
    this.modelAt = { start: at, end };
    return end;
  }

  private usageEnd(at: number): number {
    const { bytes } = this;
    const end = bytes[at] === OPEN_BRACE ? valueEnd(bytes, at) : NO_JSON;
    if (end < 0) return NO_JSON;
    this.reportedUsage = JSON.parse(bytes.toString("utf8", at, end)) as Record<string, unknown>;
    this.usage = readUsage(this.reportedUsage);
    return end;
  }

  private choicesEnd(at: number): number {
    const { bytes } = this;
    if (bytes[at] !== OPEN_BRACKET) return NO_JSON;
    const end = this.objectEnd(skipSpace(bytes, at + 1), CHOICE);
    if (end < 0) return NO_JSON;
    const close = skipSpace(bytes, end);
    return bytes[close] === CLOSE_BRACKET ? close + 1 : NO_JSON;
  }

  private variantEnd(name: string, at: number): number {
    if (this.bytes[at] === SMALL_N) return this.nothingEnd(at);
    const end = plainEnd(this.bytes, at);
    if (end >= 0) (this.variants ??= {})[name] = this.textBetween(at, end);
    return end;
  }

  private finishEnd(at: number): number {
    if (stands(this.bytes, at, STOPPED)) {
      this.finishReason = "stop";
      return at + STOPPED.length;
    }
    if (this.bytes[at] === SMALL_N) return this.nothingEnd(at);
    const end = plainEnd(this.bytes, at);
    if (end - at > QUOTES_BYTES) this.finishReason = this.textBetween(at, end);
    return end > at && isFailedFinish(this.finishReason ?? "") ? NO_JSON : end;
  }

  private contentOf(at: number): number {
    const { bytes } = this;
    if (bytes[at] !== QUOTE) return this.nothingEnd(at);
    const end = valueEnd(bytes, at);
    this.contentStart = at;
    this.contentEnd = end;
    this.hasContent = end - at > QUOTES_BYTES;
    return end;
  }

  /** Of what says nothing: null, or an empty text or list. */
  private nothingEnd(at: number): number {
    const { bytes } = this;
    for (const nothing of NOTHINGS) if (stands(bytes, at, nothing)) return at + nothing.length;
    return NO_JSON;
  }

  private textBetween(start: number, end: number): string {
    return this.bytes.toString("latin1", start + 1, end - 1);
  }
}
