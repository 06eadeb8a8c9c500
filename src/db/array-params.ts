/**
 * PostgreSQL arrays as binary parameters (Buffers): cheaper to write and to read than literals,
 * which matters to batches. Several columns of the same rows go into one array, column behind
 * column: PostgreSQL pays for a parameter more than for what is in it.
 */
import type { Uuid } from "../kernel/ids.ts";
import type { Encoded } from "./sql-type.ts";

/**
 * Type oids, which PostgreSQL compares with the parameter's:
 * https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_type.dat
 */
const BOOL = 16;
const INT8 = 20;
const INT4 = 23;
const TEXT = 25;
const TIMESTAMPTZ = 1184;
const UUID = 2950;

/**
 * Dimensions, whether there are nulls, type; then for the one dimension its length and its first
 * index.
 */
const EMPTY_HEADER_BYTES = 12;
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

const UUID_BYTES = 16;
const UUID_CHARACTERS = 36;
const DASH = 0x2d;
/** Where the two digits of each byte begin. */
const UUID_DIGITS = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const UUID_DASHES = [8, 13, 18, 23];

/** PostgreSQL counts time from 2000-01-01. */
const EPOCH_MS = 946_684_800_000;
const LARGEST_UTF8_BYTES = 3;
/** Shorter texts of ASCII are copied here: a call into the runtime costs more. */
const SHORT_TEXT = 64;

/** What an array says of each row. */
export type ColumnOf<Row, Value> = (row: Row) => Value | null;

/** `uuid[]`. Throws on a text that is not a UUID. */
export function uuidArray<Row>(
  rows: readonly Row[],
  ...columns: readonly ColumnOf<Row, Uuid>[]
): Encoded<"uuid[]"> {
  const length = rows.length * columns.length;
  const array = begin(length, UUID, UUID_BYTES);
  let at = HEADER_BYTES;
  for (const valueOf of columns)
    for (const row of rows) {
      const value = valueOf(row);
      if (value === null) at = writeNull(array, at);
      else at = writeUuid(array, at, value);
    }
  return ended(array, length, at);
}

/** `int8[]`. Throws on a number that is not an integer or does not fit. */
export function bigintArray<Row>(
  rows: readonly Row[],
  ...columns: readonly ColumnOf<Row, bigint | number>[]
): Encoded<"int8[]"> {
  return writeBigints<Row, "int8[]">(rows, columns, INT8);
}

/** Throws on a number that PostgreSQL's `integer` cannot hold. */
export function asInteger(value: number): number {
  if ((value | 0) !== value) throw new RangeError(`${value} is not a 32-bit integer`);
  return value;
}

/** `timestamptz[]`, exact to the millisecond. Throws on an invalid date. */
export function timestampArray<Row>(
  rows: readonly Row[],
  valueOf: (row: Row) => Date | null,
): Encoded<"timestamptz[]"> {
  const microseconds = (row: Row): bigint | null => {
    const value = valueOf(row);
    return value === null ? null : BigInt(value.getTime() - EPOCH_MS) * 1000n;
  };
  return writeBigints<Row, "timestamptz[]">(rows, [microseconds], TIMESTAMPTZ);
}

/** `int4[]`. Throws on a number that is not an integer or does not fit. */
export function integerArray<Row>(
  rows: readonly Row[],
  valueOf: (row: Row) => number | null,
): Encoded<"int4[]"> {
  const array = begin(rows.length, INT4, 4);
  let at = HEADER_BYTES;
  for (const row of rows) {
    const value = valueOf(row);
    if (value === null) {
      at = writeNull(array, at);
      continue;
    }
    at = writeInt32(array, writeInt32(array, at, 4), asInteger(value));
  }
  return ended(array, rows.length, at);
}

/** `bool[]`. */
export function booleanArray<Row>(
  rows: readonly Row[],
  valueOf: (row: Row) => boolean | null,
): Encoded<"bool[]"> {
  const array = begin(rows.length, BOOL, 1);
  let at = HEADER_BYTES;
  for (const row of rows) {
    const value = valueOf(row);
    if (value === null) {
      at = writeNull(array, at);
      continue;
    }
    at = writeInt32(array, at, 1);
    array[at++] = value ? 1 : 0;
  }
  return ended(array, rows.length, at);
}

/**
 * `text[]`. A NUL character, which PostgreSQL text cannot hold, and a lone surrogate become U+FFFD.
 */
export function textArray<Row>(
  rows: readonly Row[],
  ...columns: readonly ColumnOf<Row, string>[]
): Encoded<"text[]"> {
  const texts: (string | null)[] = [];
  let characters = 0;
  let longest = 0;
  for (const valueOf of columns)
    for (const row of rows) {
      const value = valueOf(row);
      texts.push(value);
      if (value === null) continue;
      characters += value.length;
      if (value.length > longest) longest = value.length;
    }
  // Room for texts of ASCII, and for the longest of any characters.
  let array = begin(texts.length, TEXT, 0, characters + longest * (LARGEST_UTF8_BYTES - 1));
  let at = HEADER_BYTES;
  for (const text of texts) {
    const start = at + LENGTH_BYTES;
    const most = text === null ? 0 : text.length * LARGEST_UTF8_BYTES;
    if (start + most > array.length) array = enlarge(array, at, texts.length, characters);
    if (text === null) {
      at = writeNull(array, at);
      continue;
    }
    const end = writeText(array, start, text);
    writeInt32(array, at, end - start);
    at = end;
  }
  return ended(array, texts.length, at);
}

function enlarge(array: Buffer, at: number, length: number, characters: number): Buffer {
  const larger = Buffer.allocUnsafe(
    HEADER_BYTES + length * LENGTH_BYTES + characters * LARGEST_UTF8_BYTES,
  );
  array.copy(larger, 0, 0, at);
  return larger;
}

function begin(length: number, type: number, valueBytes: number, more = 0): Buffer {
  const array = Buffer.allocUnsafe(HEADER_BYTES + length * (LENGTH_BYTES + valueBytes) + more);
  writeInt32(array, 0, length === 0 ? 0 : 1);
  writeInt32(array, 4, 0);
  writeInt32(array, 8, type);
  writeInt32(array, 12, length);
  writeInt32(array, 16, 1);
  return array;
}

function ended<Name extends string>(array: Buffer, length: number, at: number): Encoded<Name> {
  return array.subarray(0, length === 0 ? EMPTY_HEADER_BYTES : at) as Encoded<Name>;
}

function writeNull(array: Buffer, at: number): number {
  array[7] = 1;
  return writeInt32(array, at, NULL_LENGTH);
}

function writeInt32(array: Buffer, at: number, value: number): number {
  array[at] = value >>> 24;
  array[at + 1] = value >>> 16;
  array[at + 2] = value >>> 8;
  array[at + 3] = value;
  return at + 4;
}

function writeBigints<Row, Name extends string>(
  rows: readonly Row[],
  columns: readonly ColumnOf<Row, bigint | number>[],
  type: number,
): Encoded<Name> {
  const length = rows.length * columns.length;
  const array = begin(length, type, 8);
  const view = new DataView(array.buffer, array.byteOffset, array.length);
  let at = HEADER_BYTES;
  for (const valueOf of columns)
    for (const row of rows) {
      const value = valueOf(row);
      if (value === null) {
        at = writeNull(array, at);
        continue;
      }
      at = writeInt32(array, at, 8);
      view.setBigInt64(at, asBigint(value));
      at += 8;
    }
  return ended(array, length, at);
}

function asBigint(value: bigint | number): bigint {
  if (typeof value === "number" ? Number.isSafeInteger(value) : BigInt.asIntN(64, value) === value)
    return BigInt(value);
  throw new RangeError(`${value} is not a 64-bit integer`);
}

function writeUuid(array: Buffer, at: number, value: Uuid): number {
  return writeUuidBytes(array, writeInt32(array, at, UUID_BYTES), value);
}

/** 16 bytes; returns where they end. Throws on a text that is not a UUID in lower case. */
function writeUuidBytes(array: Buffer, at: number, value: Uuid): number {
  let start = at;
  let wrong = value.length ^ UUID_CHARACTERS;
  for (const dash of UUID_DASHES) wrong |= value.charCodeAt(dash) ^ DASH;
  for (const digit of UUID_DIGITS) {
    const byte = (digitOf(value.charCodeAt(digit)) << 4) | digitOf(value.charCodeAt(digit + 1));
    wrong |= byte & ~0xff;
    array[start++] = byte;
  }
  if (wrong !== 0) throw new TypeError(`${JSON.stringify(value)} is not a UUID`);
  return start;
}

/** Of lower-case hexadecimal digits; 256 for anything else. */
function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x61 && code <= 0x66) return code - 0x57;
  return 0x100;
}

function writeText(array: Buffer, start: number, text: string): number {
  if (text.length <= SHORT_TEXT) {
    let at = start;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code === 0 || code > 0x7f) return writeAnyText(array, start, text);
      array[at++] = code;
    }
    return at;
  }
  return writeAnyText(array, start, text);
}

function writeAnyText(array: Buffer, start: number, text: string): number {
  return start + array.write(withoutNul(text), start, "utf8");
}

/** PostgreSQL's text holds any character but this one. */
function withoutNul(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text;
}
