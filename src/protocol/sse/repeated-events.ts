/**
 * Knows the events again that repeat the one before them but for one text, as most of a stream do,
 * so that they need not be parsed.
 */

import { ownCopy } from "../../kernel/own-copy.ts";
import { LearningPace } from "./learning-pace.ts";

/**
 * The text of an event that says one piece of text and nothing else that matters; null for any
 * other.
 */
export type TextAlone = (event: Buffer) => string | null;

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const EMPTY = Buffer.alloc(0);
/** Longer events are few, and parsing them is not what their bytes cost. */
export const MOST_BYTES = 16 * 1024;

/** How a reader knows the events again that repeat the one before them. */
export interface EventRepetition {
  /** Where the event that `read` has found ends. */
  readonly end: number;
  /**
   * The text of the event that begins at `from`, where it is whole and repeats the learnt one; else
   * null. Never an empty text.
   */
  read(bytes: Buffer, from: number): string | null;
  /**
   * The event before the next one is this one, which was parsed: it is learnt where `text` is all
   * it says, and what was learnt before is forgotten.
   */
  learn(event: Buffer, text: string, textAlone: TextAlone): void;
  /** The event before the next one is none that could be repeated. */
  forget(): void;
}

/**
 * An event is learnt as the bytes before its text and those after it. What has these bytes at both
 * ends and between them the inside of one JSON string is the same event with another text: the
 * string begins and ends at the same places, and all else is the same bytes. Where events turn out
 * not to repeat, learning is tried ever more rarely.
 */
export class RepeatedEvents implements EventRepetition {
  end = 0;
  /** What stands before the text and what after it, one behind the other. */
  #learnt = EMPTY;
  /** 0: nothing is learnt. */
  #beforeBytes = 0;
  readonly #pace = new LearningPace();

  read(bytes: Buffer, from: number): string | null {
    const learnt = this.#learnt;
    const beforeBytes = this.#beforeBytes;
    const afterBytes = learnt.length - beforeBytes;
    const textStart = from + beforeBytes;
    if (beforeBytes === 0 || bytes.length <= textStart + afterBytes) return null;
    if (!holds(bytes, from, learnt, 0, beforeBytes)) return null;
    // The text has no line end, so the first one closes the line of data; after it comes the blank
    // line.
    const lineEnd = bytes.indexOf(LF, textStart);
    const end = lineEnd + 2;
    const textEnd = end - afterBytes;
    if (lineEnd < 0 || textEnd <= textStart || end > bytes.length || end - from > MOST_BYTES)
      return null;
    if (!holds(bytes, textEnd, learnt, beforeBytes, afterBytes)) return null;
    const text = unescaped(bytes.toString("utf8", textStart, textEnd));
    if (text === null) return null;
    this.end = end;
    this.#pace.repeated();
    return text;
  }

  learn(event: Buffer, text: string, textAlone: TextAlone): void {
    this.forget();
    if (!this.#pace.mayLearn()) return;
    if (event.length > MOST_BYTES || event.includes(CR)) return;
    const literal = Buffer.from(JSON.stringify(text));
    const at = event.lastIndexOf(literal);
    // A line end in front is the rest of the event before it (see split-events.ts).
    if (at < 0 || event[0] === LF) return;
    const before = event.subarray(0, at + 1);
    const after = event.subarray(at + literal.length - 1);
    if (after.indexOf(LF) !== after.length - 2) return;
    // The same text may stand elsewhere too: it is the right one if another in its place is what
    // the event says then.
    const probe = `${text}?`;
    if (
      textAlone(Buffer.concat([before, Buffer.from(JSON.stringify(probe).slice(1, -1)), after])) !==
      probe
    )
      return;
    this.#learnt = ownCopy(before, after);
    this.#beforeBytes = before.length;
  }

  forget(): void {
    this.#pace.forgotten();
    this.#learnt = EMPTY;
    this.#beforeBytes = 0;
  }
}

/** Below, a call of the native comparison costs more than to look at each byte. */
const NATIVE_COMPARE_BYTES = 64;

/** Whether `bytes` have at `at` what `learnt` has at `start`, so many bytes of it. */
function holds(bytes: Buffer, at: number, learnt: Buffer, start: number, length: number): boolean {
  const end = at + length;
  if (length >= NATIVE_COMPARE_BYTES)
    return end <= bytes.length && bytes.compare(learnt, start, start + length, at, end) === 0;
  for (let i = 0; i < length; i++) if (bytes[at + i] !== learnt[start + i]) return false;
  return true;
}

/** What a JSON string says whose inside this is; null where it is no inside of one string. */
export function unescaped(inside: string): string | null {
  let escapes = false;
  for (let i = 0; i < inside.length; i++) {
    const unit = inside.charCodeAt(i);
    if (unit < SPACE || unit === QUOTE) return null;
    if (unit !== BACKSLASH) continue;
    escapes = true;
    i += 1;
  }
  if (!escapes) return inside;
  try {
    return String(JSON.parse(`"${inside}"`));
  } catch {
    return null;
  }
}
