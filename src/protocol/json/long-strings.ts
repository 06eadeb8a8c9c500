/**
 * The long strings of a large JSON body: they stay in its bytes, a stand-in takes their place in
 * the parsed value, and they are read in slices.
 */
import { randomUUID } from "node:crypto";
import { Fault } from "../../kernel/faults.ts";
import { isPlainText } from "./is-plain-text.ts";
import type { StringRange } from "./scan-object.ts";

/** From here on a body is read in slices, so that other work of the process goes on in between. */
export const LARGE_BODY_BYTES = 1024 * 1024;
/** Of a large body, strings longer than this are left in its bytes. */
export const LEFT_STRING_BYTES = 512;
/** At most so much of a string is decoded at a time. */
export const SLICE_BYTES = 64 * 1024;

/** What stays of a string before its mark, for readers that look how it begins. */
const KEPT_BYTES = 64;
const BACKSLASH = 0x5c;
const SMALL_U = 0x75;
/** `\uXXXX`. */
const LONGEST_ESCAPE_BYTES = 6;

interface LeftString {
  /** Of what lies between the quotes. */
  readonly start: number;
  readonly end: number;
  readonly stood: string;
  /** Where its mark stands in `stood`. */
  readonly markAt: number;
  /** Where in the bytes goes on what is kept before the mark. */
  readonly rest: number;
}

export interface LongStrings {
  /** The JSON text with the stand-ins. */
  skeleton(bytes: Buffer): string;
  /**
   * A text that was made of the parsed skeleton, in slices and as it was meant. Throws a Fault
   * where a string is no valid JSON.
   */
  slicesOf(text: string, bytes: Buffer): Iterable<string>;
  /** The length that the text has with its long strings; in bytes of JSON for what was left. */
  lengthOf(text: string): number;
  /**
   * Looks at all of them, slice by slice, whether they are valid: tells the bytes of each slice.
   * Throws a Fault where one is not.
   */
  check(bytes: Buffer): Iterable<number>;
}

function isEscaped(bytes: Buffer, position: number, start: number): boolean {
  let slashes = position;
  while (slashes > start && bytes[slashes - 1] === BACKSLASH) slashes -= 1;
  return (position - slashes) % 2 === 1;
}

/** At most `SLICE_BYTES` on from `start`; never inside a character or an escape. */
function sliceEnd(bytes: Buffer, start: number, end: number): number {
  let cut = start + SLICE_BYTES;
  if (cut >= end) return end;
  while (((bytes[cut] ?? 0) & 0xc0) === 0x80) cut -= 1;
  for (let escape = Math.max(start, cut - LONGEST_ESCAPE_BYTES + 1); escape < cut; escape++) {
    if (bytes[escape] !== BACKSLASH || isEscaped(bytes, escape, start)) continue;
    const length = bytes[escape + 1] === SMALL_U ? LONGEST_ESCAPE_BYTES : 2;
    if (escape + length > cut) return escape;
    escape += length - 1;
  }
  return cut;
}

function decode(json: string): string {
  try {
    return String(JSON.parse(`"${json}"`));
  } catch (error) {
    throw new Fault("invalid_request", {
      message:
        "The body is not valid JSON: a long text in it has a bad escape or a control character.",
      cause: error,
    });
  }
}

function* rawSlices(bytes: Buffer, from: number, end: number): Iterable<string> {
  for (let start = from; start < end;) {
    const next = sliceEnd(bytes, start, end);
    yield bytes.toString("utf8", start, next);
    start = next;
  }
}

/** Most are images, which no escape is in: nothing has to be decoded of these. */
function* checkedSlices(bytes: Buffer, from: number, end: number): Iterable<number> {
  for (let start = from; start < end;) {
    const next = sliceEnd(bytes, start, end);
    if (!isPlainText(bytes, start, next)) decode(bytes.toString("utf8", start, next));
    yield next - start;
    start = next;
  }
}

/**
 * How much of a string stays before its mark: nothing from the first escape on, and no part of a
 * character.
 */
function keptEnd(bytes: Buffer, start: number, end: number): number {
  let kept = Math.min(start + KEPT_BYTES, end);
  const escape = bytes.subarray(start, kept).indexOf(BACKSLASH);
  if (escape >= 0) kept = start + escape;
  while (kept > start && ((bytes[kept] ?? 0) & 0xc0) === 0x80) kept -= 1;
  return kept;
}

/**
 * `ranges` in order, quotes included. No caller can write a mark: it holds what was made up only
 * now.
 */
export function leaveLongStrings(bytes: Buffer, ranges: readonly StringRange[]): LongStrings {
  const mark = `<${randomUUID()}:`;
  const left = ranges.map((range, index): LeftString => {
    const start = range.start + 1;
    const rest = keptEnd(bytes, start, range.end - 1);
    const kept = bytes.toString("utf8", start, rest);
    return {
      start,
      end: range.end - 1,
      rest,
      stood: `${kept}${mark}${index}>`,
      markAt: kept.length,
    };
  });

  /** The marks of a text in order, and the strings that they stand for. */
  function* marksIn(
    text: string,
  ): Iterable<{ readonly at: number; readonly end: number; readonly string: LeftString }> {
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length)) {
      const end = text.indexOf(">", at) + 1;
      const string = left[Number(text.slice(at + mark.length, end - 1))];
      if (string !== undefined) yield { at, end, string };
    }
  }

  return {
    skeleton(from) {
      const pieces: string[] = [];
      let position = 0;
      for (const { start, end, stood } of left) {
        pieces.push(from.toString("utf8", position, start), stood);
        position = end;
      }
      pieces.push(from.toString("utf8", position));
      return pieces.join("");
    },

    *slicesOf(text, from) {
      let position = 0;
      for (const { at, end, string } of marksIn(text)) {
        if (at > position) yield text.slice(position, at);
        // In a text of JSON, which a tool's arguments become, the string stays as JSON writes it.
        const inJson = text !== string.stood;
        for (const slice of rawSlices(from, string.rest, string.end))
          yield inJson ? slice : decode(slice);
        position = end;
      }
      if (position < text.length) yield text.slice(position);
    },

    lengthOf(text) {
      let length = text.length;
      for (const { at, end, string } of marksIn(text))
        length += string.end - string.rest - (end - at);
      return length;
    },

    *check(from) {
      for (const { start, end } of left) yield* checkedSlices(from, start, end);
    },
  };
}
