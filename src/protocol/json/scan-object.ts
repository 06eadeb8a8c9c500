/**
 * Finds where the members of a JSON object lie in its bytes, in one pass and without building
 * anything.
 */

/** Byte positions of one member's value, end exclusive. */
export interface Member {
  /** As it is written, its escapes read. */
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

export interface StringRange {
  /** Of the opening quote. */
  readonly start: number;
  /** After the closing quote. */
  readonly end: number;
}

export interface ObjectScan {
  /**
   * The members of the wanted names, or of another spelling of one, in order, duplicates included.
   */
  readonly members: readonly Member[];
  /** Position of the closing `}`. */
  readonly close: number;
  /** Whether there is any member, wanted or not. */
  readonly empty: boolean;
  /** The deepest nesting, 1 for a flat object. */
  readonly depth: number;
  /** Objects, lists and commas: how many values the text holds, give or take. */
  readonly values: number;
  /** Strings of more than `longStringBytes`, at any depth, in order. */
  readonly longStrings: readonly StringRange[];
}

/** Longer strings than this are nearly always media. */
export const LONG_STRING_BYTES = 8 * 1024;

export interface ScanBounds {
  readonly maxDepth: number;
  readonly maxValues: number;
  /** From which length on strings are told of. */
  readonly longStringBytes?: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SPACE = 0x20;

/** Strings up to this long are walked byte by byte; the native search pays off only beyond. */
const WALK_BYTES = 48;

/**
 * The position after the closing quote of the string that opens at `start`, or -1. Linear whatever
 * the string holds.
 */
function skipString(bytes: Buffer, start: number): number {
  let position = start + 1;
  for (;;) {
    const walkEnd = Math.min(position + WALK_BYTES, bytes.length);
    while (position < walkEnd) {
      const byte = bytes[position];
      if (byte === QUOTE) return position + 1;
      position += byte === BACKSLASH ? 2 : 1;
    }
    if (position >= bytes.length) return -1;
    const quote = bytes.indexOf(QUOTE, position);
    if (quote < 0) return -1;
    let slashes = quote;
    while (slashes > position && bytes[slashes - 1] === BACKSLASH) slashes -= 1;
    if ((quote - slashes) % 2 === 0) return quote + 1;
    // An escaped quote: where there is one there are often more, so the next stretch is walked
    // again.
    position = quote + 1;
  }
}

/** Some JSON readers (Go's) take `Model`, `MODEL` and even `ſtream` for the field in lower case. */
export function foldKey(key: string): string {
  return key.toUpperCase().toLowerCase();
}

function readKey(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString("utf8", start, end);
  if (!text.includes("\\")) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}

/** ASCII without escapes: then the bytes are the characters. */
function isPlain(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = bytes[i] ?? 0;
    if (byte >= 0x80 || byte === BACKSLASH) return false;
  }
  return true;
}

/** How plain bytes spell the name: exactly, in other cases, or not at all. */
function spellingOf(bytes: Buffer, start: number, name: string): "exact" | "folded" | "none" {
  let spelling: "exact" | "folded" = "exact";
  for (let i = 0; i < name.length; i++) {
    const letter = name.charCodeAt(i);
    const difference = (bytes[start + i] ?? 0) ^ letter;
    if (difference === 0) continue;
    // A capital differs by one bit from its small letter.
    if (difference !== 0x20 || letter < 0x61 || letter > 0x7a) return "none";
    spelling = "folded";
  }
  return spelling;
}

/**
 * The key whose characters lie between `start` and `end`, where it is one of the names or another
 * spelling of one; else null. Most keys are compared in their bytes and never made into a text.
 */
function wantedKey(
  bytes: Buffer,
  start: number,
  end: number,
  names: readonly string[],
): string | null {
  if (isPlain(bytes, start, end)) {
    for (const name of names) {
      if (name.length !== end - start) continue;
      const spelling = spellingOf(bytes, start, name);
      if (spelling === "exact") return name;
      if (spelling === "folded") return bytes.toString("latin1", start, end);
    }
    return null;
  }
  const key = readKey(bytes, start, end);
  return names.includes(key) || names.includes(foldKey(key)) ? key : null;
}

/** Shared by all that have none: it stays as it is. */
const NO_MEMBERS: Member[] = [];

/** A list that grows from nothing takes room for many at once, and often there is one member. */
function withMember(members: Member[], member: Member): Member[] {
  if (members.length === 0) return [member];
  members.push(member);
  return members;
}

/**
 * Scans the object that begins at `from` (white space before it is skipped). It tells of the
 * members of these names and of other spellings of them (look at the keys), those of the object
 * itself, not of nested ones. Returns null where the text is not an object or breaks off; it does
 * not otherwise check that it is valid JSON. Stops early, with what it has, once `maxDepth` or
 * `maxValues` is passed: look at `depth` and `values` first.
 */
export function scanObject(
  bytes: Buffer,
  names: readonly string[],
  bounds: ScanBounds,
  from = 0,
): ObjectScan | null {
  const { maxDepth, maxValues, longStringBytes = LONG_STRING_BYTES } = bounds;
  const { length } = bytes;
  let position = from;
  while (position < length && (bytes[position] ?? 0) <= SPACE) position += 1;
  if (bytes[position] !== OPEN_BRACE) return null;
  let members: Member[] = NO_MEMBERS;
  const longStrings: StringRange[] = [];
  let depth = 0;
  let deepest = 0;
  let values = 0;
  let empty = true;
  // Of the member under way at depth 1: whether its key has been, the key where it is wanted, and
  // where its value lies.
  let hasKey = false;
  let key: string | null = null;
  let valueStart = -1;
  let valueEnd = -1;

  for (; position < length; position++) {
    const byte = bytes[position] ?? 0;
    if (byte <= SPACE) continue;
    if (byte === QUOTE) {
      const end = skipString(bytes, position);
      if (end < 0) return null;
      if (end - position > longStringBytes) longStrings.push({ start: position, end });
      if (depth === 1) {
        if (!hasKey) {
          hasKey = true;
          key = wantedKey(bytes, position + 1, end - 1, names);
          empty = false;
        } else {
          if (valueStart < 0) valueStart = position;
          valueEnd = end;
        }
      }
      position = end - 1;
    } else if (byte === COMMA) {
      values += 1;
      if (depth === 1) {
        if (key !== null && valueStart >= 0)
          members = withMember(members, { key, start: valueStart, end: valueEnd });
        hasKey = false;
        key = null;
        valueStart = -1;
      }
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (depth === 1 && valueStart < 0) valueStart = position;
      depth += 1;
      values += 1;
      if (depth > deepest) deepest = depth;
      if (deepest > maxDepth || values > maxValues)
        return { members, close: position, empty, depth: deepest, values, longStrings };
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 1) valueEnd = position + 1;
      if (depth === 0) {
        if (key !== null && valueStart >= 0)
          members = withMember(members, { key, start: valueStart, end: valueEnd });
        return { members, close: position, empty, depth: deepest, values, longStrings };
      }
    } else if (depth === 1 && byte !== COLON) {
      if (valueStart < 0) valueStart = position;
      valueEnd = position + 1;
    }
  }
  return null;
}
