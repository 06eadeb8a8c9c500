/**
 * Finds where JSON values end in their bytes, and checks on the way that they are JSON, without
 * making anything of them.
 */
import { JSON_DEPTH_LIMIT } from "../../kernel/limits.ts";
import { isPlainText } from "./is-plain-text.ts";

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const SLASH = 0x2f;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const SMALL_B = 0x62;
const SMALL_E = 0x65;
const SMALL_F = 0x66;
const SMALL_N = 0x6e;
const SMALL_R = 0x72;
const SMALL_T = 0x74;
const SMALL_U = 0x75;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const DELETE = 0x7f;
/** Turns a capital into its small letter. */
const CASE_BIT = 0x20;

/** What these functions return of what is no JSON. */
export const NO_JSON = -1;

/** Strings up to this long are walked byte by byte; looking at words of them pays off only beyond. */
const WALK_BYTES = 256;

const HEX_DIGITS = 4;

/** The position of the next byte that is no white space, `from` where there is none. */
export function skipSpace(bytes: Buffer, from: number): number {
  // Nearly all JSON is written without any.
  return (bytes[from] ?? 0) > SPACE ? from : spaceEnd(bytes, from);
}

function spaceEnd(bytes: Buffer, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte !== SPACE && byte !== LINE_FEED && byte !== CARRIAGE_RETURN && byte !== TAB) return at;
    at += 1;
  }
}

/** Where a member's value begins, whose key ended at `at`. */
export function valueStart(bytes: Buffer, at: number): number {
  const colon = skipSpace(bytes, at);
  return bytes[colon] === COLON ? skipSpace(bytes, colon + 1) : NO_JSON;
}

/**
 * After the string of printable ASCII without an escape that begins at `from`; `NO_JSON` where it is
 * no such string.
 */
export function plainEnd(bytes: Buffer, from: number): number {
  if (bytes[from] !== QUOTE) return NO_JSON;
  for (let at = from + 1; ; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) return at + 1;
    if (byte < SPACE || byte === BACKSLASH || byte >= DELETE) return NO_JSON;
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

function isHex(byte: number): boolean {
  const small = byte | CASE_BIT;
  return isDigit(byte) || (small >= 0x61 && small <= SMALL_F);
}

/** After the escape whose backslash is at `at`. */
function escapeEnd(bytes: Buffer, at: number): number {
  switch (bytes[at + 1]) {
    case QUOTE:
    case BACKSLASH:
    case SLASH:
    case SMALL_B:
    case SMALL_F:
    case SMALL_N:
    case SMALL_R:
    case SMALL_T:
      return at + 2;
    case SMALL_U: {
      const end = at + 2 + HEX_DIGITS;
      for (let digit = at + 2; digit < end; digit++) if (!isHex(bytes[digit] ?? 0)) return NO_JSON;
      return end;
    }
    default:
      return NO_JSON;
  }
}

/** After the closing quote of the string that opens at `at`. */
function stringEnd(bytes: Buffer, at: number): number {
  if (bytes[at] !== QUOTE) return NO_JSON;
  let position = at + 1;
  let walkEnd = position + WALK_BYTES;
  for (;;) {
    const byte = bytes[position];
    if (byte === QUOTE) return position + 1;
    if (byte === undefined || byte < SPACE) return NO_JSON;
    if (byte === BACKSLASH) {
      position = escapeEnd(bytes, position);
      if (position < 0) return NO_JSON;
    } else position += 1;
    if (position < walkEnd) continue;
    walkEnd = position + WALK_BYTES;
    const quote = bytes.indexOf(QUOTE, position);
    // Without a backslash among what is before it, it is the end.
    if (quote > walkEnd && isPlainText(bytes, position, quote)) return quote + 1;
  }
}

/** After the digits, at least one. */
function digitsEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (isDigit(bytes[at])) at += 1;
  return at === from ? NO_JSON : at;
}

function numberEnd(bytes: Buffer, from: number): number {
  let at = bytes[from] === MINUS ? from + 1 : from;
  at = bytes[at] === ZERO ? at + 1 : digitsEnd(bytes, at);
  if (at >= 0 && bytes[at] === POINT) at = digitsEnd(bytes, at + 1);
  if (at >= 0 && ((bytes[at] ?? 0) | CASE_BIT) === SMALL_E) {
    const sign = bytes[at + 1];
    at = digitsEnd(bytes, sign === PLUS || sign === MINUS ? at + 2 : at + 1);
  }
  return at;
}

/** Whether these characters, all of them ASCII, stand at `at`. */
export function stands(bytes: Buffer, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

function wordEnd(bytes: Buffer, at: number, word: string): number {
  return stands(bytes, at, word) ? at + word.length : NO_JSON;
}

function listEnd(bytes: Buffer, from: number, depth: number): number {
  let at = skipSpace(bytes, from + 1);
  if (bytes[at] === CLOSE_BRACKET) return at + 1;
  for (;;) {
    at = valueEnd(bytes, at, depth + 1);
    if (at < 0) return NO_JSON;
    at = skipSpace(bytes, at);
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    if (bytes[at] !== COMMA) return NO_JSON;
    at = skipSpace(bytes, at + 1);
  }
}

function objectEnd(bytes: Buffer, from: number, depth: number): number {
  let at = skipSpace(bytes, from + 1);
  if (bytes[at] === CLOSE_BRACE) return at + 1;
  for (;;) {
    at = stringEnd(bytes, at);
    if (at < 0) return NO_JSON;
    at = valueStart(bytes, at);
    if (at < 0) return NO_JSON;
    at = valueEnd(bytes, at, depth + 1);
    if (at < 0) return NO_JSON;
    at = skipSpace(bytes, at);
    if (bytes[at] === CLOSE_BRACE) return at + 1;
    if (bytes[at] !== COMMA) return NO_JSON;
    at = skipSpace(bytes, at + 1);
  }
}

/**
 * After the value that begins at `at`; `NO_JSON` where there is none, or one that is nested deeper
 * than `JSON_DEPTH_LIMIT`. `depth`: how many objects and lists it is in.
 */
export function valueEnd(bytes: Buffer, at: number, depth = 0): number {
  switch (bytes[at]) {
    case QUOTE:
      return stringEnd(bytes, at);
    case OPEN_BRACE:
      return depth > JSON_DEPTH_LIMIT ? NO_JSON : objectEnd(bytes, at, depth);
    case OPEN_BRACKET:
      return depth > JSON_DEPTH_LIMIT ? NO_JSON : listEnd(bytes, at, depth);
    case SMALL_T:
      return wordEnd(bytes, at, "true");
    case SMALL_F:
      return wordEnd(bytes, at, "false");
    case SMALL_N:
      return wordEnd(bytes, at, "null");
    default:
      return numberEnd(bytes, at);
  }
}
