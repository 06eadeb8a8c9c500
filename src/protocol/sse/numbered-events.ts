/**
 * Knows the events again that repeat the one before them but for one text, where each event also
 * has a number of its own and padding, as those of the Responses protocol have.
 */
import { LearningPace } from "./learning-pace.ts";
import { type EventRepetition, MOST_BYTES, type TextAlone, unescaped } from "./repeated-events.ts";

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;
/** As long as a safe integer can be. */
const MOST_DIGITS = 16;

/** What differs from event to event: a whole number, padding, and the text. */
type Hole = "number" | "padding" | "text";

/** Fixed bytes, as latin1, each but the last followed by a hole. */
interface Shape {
  readonly fixed: readonly string[];
  readonly holes: readonly Hole[];
  /** Of all the fixed bytes. */
  readonly length: number;
}

/** Longer numbers, paddings and texts together are few: such an event is parsed. */
const MOST_IN_HOLES = 4_096;

/** The members that may differ; neither says anything of the answer. */
const VARYING =
  /"(?:sequence_number":[ \t]*(?<number>0|[1-9]\d*)(?=[,}])|obfuscation":[ \t]*"(?<padding>[\w+/=-]*)")/g;

interface Cut {
  readonly hole: Hole;
  readonly start: number;
  readonly end: number;
}

/** Where a varying member's value lies in a part of an event that begins at `offset`. */
function cutsIn(part: Buffer, offset: number): Cut[] {
  return [...part.toString("latin1").matchAll(VARYING)].map((match) => {
    const { number, padding } = match.groups ?? {};
    const value = number ?? padding ?? "";
    const after = offset + match.index + match[0].length - (number === undefined ? 1 : 0);
    return {
      hole: number === undefined ? "padding" : "number",
      start: after - value.length,
      end: after,
    };
  });
}

/** See RepeatedEvents: the same, with holes for what else differs. */
export class NumberedEvents implements EventRepetition {
  end = 0;
  #shape: Shape | null = null;
  readonly #pace = new LearningPace();

  read(bytes: Buffer, from: number): string | null {
    if (this.#shape === null) return null;
    const { fixed, holes, length } = this.#shape;
    // A character for each byte: strings are compared and searched faster than buffers are.
    const event = bytes.toString(
      "latin1",
      from,
      Math.min(bytes.length, from + length + MOST_IN_HOLES),
    );
    let at = 0;
    let textStart = 0;
    let textEnd = 0;
    for (let i = 0; i < fixed.length; i++) {
      const part = fixed[i];
      if (part === undefined || event.slice(at, at + part.length) !== part) return null;
      at += part.length;
      const hole = holes[i];
      if (hole === undefined) break;
      const end =
        hole === "number"
          ? numberEnd(event, at)
          : hole === "padding"
            ? paddingEnd(event, at)
            : stringEnd(event, at);
      if (end < 0) return null;
      if (hole === "text") {
        textStart = at;
        textEnd = end;
      }
      at = end;
    }
    if (textEnd === textStart) return null;
    const text = unescaped(bytes.toString("utf8", from + textStart, from + textEnd));
    if (text === null) return null;
    this.end = from + at;
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
    const afterAt = at + literal.length - 1;
    const after = event.subarray(afterAt);
    if (after.indexOf(LF) !== after.length - 2) return;
    // The same text may stand elsewhere too: it is the right one if another in its place is what
    // the event says then.
    const probe = `${text}?`;
    const probed = Buffer.from(JSON.stringify(probe).slice(1, -1));
    if (textAlone(Buffer.concat([before, probed, after])) !== probe) return;
    this.#shape = shapeOf(event, [
      ...cutsIn(before, 0),
      { hole: "text", start: before.length, end: afterAt },
      ...cutsIn(after, afterAt),
    ]);
  }

  forget(): void {
    this.#pace.forgotten();
    this.#shape = null;
  }
}

function shapeOf(event: Buffer, cuts: readonly Cut[]): Shape {
  const fixed: string[] = [];
  let at = 0;
  for (const { start, end } of cuts) {
    fixed.push(event.toString("latin1", at, start));
    at = end;
  }
  fixed.push(event.toString("latin1", at));
  const length = fixed.reduce((sum, part) => sum + part.length, 0);
  return { fixed, holes: cuts.map(({ hole }) => hole), length };
}

/** The end of a whole number as JSON writes it; -1 where there is none. */
function numberEnd(event: string, start: number): number {
  let at = start;
  while (isDigit(event.charCodeAt(at)) && at - start <= MOST_DIGITS) at += 1;
  const digits = at - start;
  return digits === 0 || digits > MOST_DIGITS || (event.charCodeAt(start) === ZERO && digits > 1)
    ? -1
    : at;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

/** Where the string ends whose inside begins at `start`; -1 where it does not. */
function stringEnd(event: string, start: number): number {
  const end = event.indexOf('"', start);
  if (end <= start || event.charCodeAt(end - 1) !== BACKSLASH) return end;
  for (let at = start; at < event.length; at++) {
    const byte = event.charCodeAt(at);
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
  }
  return -1;
}

/** The same of padding: letters, digits and a few signs; it is not looked at any further. */
function paddingEnd(event: string, start: number): number {
  for (let at = start; at < event.length; at++) {
    const byte = event.charCodeAt(at);
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH || byte < 0x20 || byte > 0x7e) return -1;
  }
  return -1;
}
