/**
 * Reads untrusted bytes as one JSON object: strict UTF-8, bounded nesting and size, no member that
 * readers could understand differently.
 */
import { isUtf8 } from "node:buffer";
import { Fault } from "../../kernel/faults.ts";
import { JSON_DEPTH_LIMIT, JSON_VALUE_LIMIT } from "../../kernel/limits.ts";
import { ownCopy } from "../../kernel/own-copy.ts";
import { isRecord } from "./is-record.ts";
import {
  LARGE_BODY_BYTES,
  LEFT_STRING_BYTES,
  leaveLongStrings,
  type LongStrings,
} from "./long-strings.ts";
import {
  foldKey,
  scanObject,
  type Member,
  type ObjectScan,
  type StringRange,
} from "./scan-object.ts";

export interface JsonObject {
  /** What was read. After `release` it may be a copy of what was given. */
  readonly bytes: Buffer;
  /**
   * Made by JSON.parse: a member named `__proto__` is an own property and changes nothing. Image
   * data URLs of more than 8 kB are cut down to their beginning: they are most of a large body, and
   * parsing them would be most of the work. Where `long` is not null, every long string is a
   * stand-in.
   */
  readonly value: Record<string, unknown>;
  /**
   * Some image in `value` was cut. What begins like one may be a text: where texts are counted,
   * count those of `whole()` then.
   */
  readonly cut: boolean;
  /** The strings that `value` has stand-ins for; null where it has none. */
  readonly long: LongStrings | null;
  /**
   * The value with its images and long strings; parsed anew where some were left out. Throws a
   * Fault where such a one is no JSON string.
   */
  whole(): Record<string, unknown>;
  /** Where the guarded members lie in the bytes; each at most once. */
  readonly members: readonly Member[];
  /** Where new members go, and whether they need a comma before them. */
  readonly close: number;
  readonly empty: boolean;
  /**
   * Lets the value go: it is parsed again whenever it is asked for. Bytes that are a small part of a
   * larger memory are copied out of it.
   */
  release(): void;
}

export type JsonObjectReading =
  | { readonly ok: true; readonly object: JsonObject }
  | { readonly ok: false; readonly fault: Fault };

function refuse(message: string, param?: string): JsonObjectReading {
  return {
    ok: false,
    fault: new Fault("invalid_request", { message, ...(param === undefined ? {} : { param }) }),
  };
}

/** V8 names the place, and quotes the text around it; only the place is passed on. */
function whereItBreaks(error: unknown): string {
  const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? "" : ` It breaks at character ${position}.`;
}

const IMAGE_START = Buffer.from('"data:image/');
/** What stays of an image: its type and a little of its data. */
const IMAGE_KEPT_BYTES = 64;

/** The JSON text without the greater part of its images; null where there are none to cut. */
function withoutImages(bytes: Buffer, longStrings: readonly StringRange[]): string | null {
  let text = "";
  let position = 0;
  for (const { start, end } of longStrings) {
    if (bytes.compare(IMAGE_START, 0, IMAGE_START.length, start, start + IMAGE_START.length) !== 0)
      continue;
    const kept = bytes.toString("utf8", position, start + IMAGE_KEPT_BYTES);
    // Cut inside an escape or a character, the rest would not parse: then the image is left as it
    // is.
    if (/[\\\uFFFD]/.test(kept.slice(-IMAGE_KEPT_BYTES))) continue;
    text += `${kept}"`;
    position = end;
  }
  return position === 0 ? null : text + bytes.toString("utf8", position);
}

function parseWhole(bytes: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    if (isRecord(value)) return value;
  } catch (error) {
    throw new Fault("invalid_request", {
      message: `The body is not valid JSON.${whereItBreaks(error)}`,
      cause: error,
    });
  }
  throw new Fault("invalid_request", { message: "The body must be a JSON object." });
}

/**
 * Bytes in a memory this many times their size are worth a copy: node hands out parts of slabs of
 * 64 kB.
 */
const SLAB_FACTOR = 2;

class ReadObject implements JsonObject {
  bytes: Buffer;
  readonly cut: boolean;
  readonly members: readonly Member[];
  readonly close: number;
  readonly empty: boolean;
  readonly long: LongStrings | null;
  private readonly longStrings: readonly StringRange[];
  private parsed: Record<string, unknown> | null;
  private released = false;

  constructor(
    bytes: Buffer,
    scan: Pick<ObjectScan, "members" | "close" | "empty" | "longStrings">,
    parsed: Record<string, unknown> | null,
    cut: boolean,
    long: LongStrings | null,
  ) {
    this.bytes = bytes;
    this.cut = cut;
    this.long = long;
    this.members = scan.members;
    this.close = scan.close;
    this.empty = scan.empty;
    this.longStrings = scan.longStrings;
    this.parsed = parsed;
  }

  get value(): Record<string, unknown> {
    if (this.parsed !== null) return this.parsed;
    // It was an object when it was read, and the bytes are the same.
    this.parsed = JSON.parse(this.text()) as Record<string, unknown>;
    // What asks for it now may ask for more of it at once, and not later.
    if (this.released) queueMicrotask(() => (this.parsed = null));
    return this.parsed;
  }

  private text(): string {
    if (this.long !== null) return this.long.skeleton(this.bytes);
    return withoutImages(this.bytes, this.longStrings) ?? this.bytes.toString("utf8");
  }

  whole(): Record<string, unknown> {
    return this.cut || this.long !== null ? parseWhole(this.bytes) : this.value;
  }

  release(): void {
    this.parsed = null;
    this.released = true;
    const { bytes } = this;
    if (bytes.buffer.byteLength < bytes.length * SLAB_FACTOR) return;
    this.bytes = ownCopy(bytes);
  }
}

/**
 * The object that these bytes have been found to be, without a long string or an image to leave out.
 * It is parsed when its value is asked for.
 */
export function objectOf(bytes: Buffer, members: readonly Member[], close: number): JsonObject {
  const scan = { members, close, empty: false, longStrings: [] };
  return new ReadObject(bytes, scan, null, false, null);
}

const BOUNDS = { maxDepth: JSON_DEPTH_LIMIT, maxValues: JSON_VALUE_LIMIT };
const LARGE_BOUNDS = { ...BOUNDS, longStringBytes: LEFT_STRING_BYTES };

/** What is wrong with the guarded members, if anything is. */
function refuseMembers(
  members: readonly Member[],
  guarded: readonly string[],
): JsonObjectReading | null {
  for (let i = 0; i < members.length; i++) {
    const key = members[i]?.key ?? "";
    if (!guarded.includes(key)) {
      return refuse(
        `'${key}' is not a field. Field names are in lower case: send '${foldKey(key)}'.`,
        key,
      );
    }
    for (let j = 0; j < i; j++)
      if (members[j]?.key === key)
        return refuse(`'${key}' is given more than once. Send it once.`, key);
  }
  return null;
}

/**
 * `guarded` are the members that the gateway itself reads. Each may come once, and only under its
 * exact name: with two of them, or with another spelling, the upstream could read another value
 * than the one that was checked and priced.
 *
 * `leaveLong`: of a large body the long strings may stay in the bytes; whether those are valid,
 * `long.check` tells.
 */
export function readJsonObject(
  bytes: Buffer,
  guarded: readonly string[],
  leaveLong = false,
): JsonObjectReading {
  const leaves = leaveLong && bytes.length > LARGE_BODY_BYTES;
  if (bytes.length === 0) return refuse("The body is empty. Send a JSON object.");
  if (!isUtf8(bytes)) return refuse("The body is not valid UTF-8.");
  const scan = scanObject(bytes, guarded, leaves ? LARGE_BOUNDS : BOUNDS);
  if (scan !== null && scan.depth > JSON_DEPTH_LIMIT)
    return refuse(`The body is nested more than ${JSON_DEPTH_LIMIT} levels deep.`);
  if (scan !== null && scan.values > JSON_VALUE_LIMIT)
    return refuse(`The body holds more than ${JSON_VALUE_LIMIT} values.`);
  // The scan has not counted what is in a large body that is not an object, so it is not parsed
  // only to say what is wrong with it.
  if (scan === null && bytes.length > JSON_VALUE_LIMIT)
    return refuse("The body is not a complete JSON object.");
  const strings = scan?.longStrings ?? [];
  const long = leaves && strings.length > 0 ? leaveLongStrings(bytes, strings) : null;
  const text =
    long !== null
      ? long.skeleton(bytes)
      : strings.length === 0
        ? null
        : withoutImages(bytes, strings);
  let value: unknown;
  try {
    value = JSON.parse(text ?? bytes.toString("utf8"));
  } catch (error) {
    // Where something was cut the place would be wrong.
    return refuse(`The body is not valid JSON.${text === null ? whereItBreaks(error) : ""}`);
  }
  if (scan === null || !isRecord(value)) return refuse("The body must be a JSON object.");
  return (
    refuseMembers(scan.members, guarded) ?? {
      ok: true,
      object: new ReadObject(bytes, scan, value, long === null && text !== null, long),
    }
  );
}
