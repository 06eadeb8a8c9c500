/**
 * Statements as bytes of PostgreSQL's protocol: prepared ones with their parameters, up to the Sync
 * that ends the transaction they make.
 */

/** In text form, or a Buffer in the binary form of its type; null is NULL. */
export type WireValue = Buffer | string | null;

export interface FramedStatement {
  readonly text: string;
  /** It stays prepared under this name; the empty name is free each time. */
  readonly name: string;
  readonly values: readonly WireValue[];
  /**
   * It is prepared, and its columns are described, before it runs; whatever had the name before is
   * forgotten.
   */
  readonly prepare: boolean;
}

/**
 * https://www.postgresql.org/docs/current/protocol-message-formats.html: a type, the length of what
 * follows with the length itself.
 */
const HEADER_BYTES = 5;
const LENGTH_BYTES = 4;
const COUNT_BYTES = 2;
const BINARY = 1;
const NULL_LENGTH = -1;
const EXECUTE = Buffer.from("E\0\0\0\u0009\0\0\0\0\0", "latin1");
const SYNC = Buffer.from("S\0\0\0\u0004", "latin1");
/** Of the unnamed portal. */
const DESCRIBE = Buffer.from("D\0\0\0\u0006P\0", "latin1");

/**
 * What is an object becomes JSON and what is an array an array literal, here, so that a value that
 * cannot be written down fails before anything is sent.
 */
export function toWireValue(value: unknown): WireValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || Buffer.isBuffer(value)) return value;
  if (Array.isArray(value)) return `{${value.map(arrayItem).join(",")}}`;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
    return String(value);
  return JSON.stringify(value);
}

function arrayItem(item: unknown): string {
  const value = toWireValue(item);
  if (value === null) return "NULL";
  if (Array.isArray(item)) return String(value);
  const text = typeof value === "string" ? value : `\\x${value.toString("hex")}`;
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** All of them, to be sent in one write. */
export function frameStatements(statements: readonly FramedStatement[]): Buffer {
  let size = SYNC.length;
  for (const statement of statements) size += sizeOf(statement);
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const statement of statements) at = writeStatement(bytes, at, statement);
  SYNC.copy(bytes, at);
  return bytes;
}

function sizeOf({ text, name, values, prepare }: FramedStatement): number {
  const nameBytes = name.length + 1;
  let size = HEADER_BYTES + 1 + nameBytes + COUNT_BYTES * (3 + values.length) + EXECUTE.length;
  for (const value of values) size += LENGTH_BYTES + byteLength(value);
  if (prepare) {
    size += HEADER_BYTES + 1 + nameBytes; // Close
    size += HEADER_BYTES + nameBytes + Buffer.byteLength(text) + 1 + COUNT_BYTES; // Parse
    size += DESCRIBE.length;
  }
  return size;
}

function byteLength(value: WireValue): number {
  if (value === null) return 0;
  return typeof value === "string" ? Buffer.byteLength(value) : value.length;
}

function writeStatement(
  bytes: Buffer,
  start: number,
  { text, name, values, prepare }: FramedStatement,
): number {
  let at = start;
  if (prepare) {
    at = writeFrame(bytes, at, "C", (body) =>
      writeName(bytes, bytes.writeUInt8("S".charCodeAt(0), body), name),
    );
    at = writeFrame(bytes, at, "P", (body) =>
      bytes.writeInt16BE(0, writeName(bytes, writeName(bytes, body, name), text)),
    );
  }
  const bind = at;
  bytes[at] = 0x42; // "B"
  at += HEADER_BYTES;
  bytes[at++] = 0; // the unnamed portal
  at = writeName(bytes, at, name);
  at = bytes.writeInt16BE(values.length, at);
  for (const value of values)
    at = bytes.writeInt16BE(value !== null && typeof value !== "string" ? BINARY : 0, at);
  at = bytes.writeInt16BE(values.length, at);
  for (const value of values) {
    const body = at + LENGTH_BYTES;
    if (value === null) {
      at = bytes.writeInt32BE(NULL_LENGTH, at);
      continue;
    }
    const length = typeof value === "string" ? bytes.write(value, body) : value.copy(bytes, body);
    bytes.writeInt32BE(length, at);
    at = body + length;
  }
  at = bytes.writeInt16BE(0, at); // every column as text
  bytes.writeInt32BE(at - bind - 1, bind + 1);
  if (prepare) at += DESCRIBE.copy(bytes, at);
  return at + EXECUTE.copy(bytes, at);
}

/** `writeBody` writes from the offset it gets and returns where it ended. */
function writeFrame(
  bytes: Buffer,
  start: number,
  type: string,
  writeBody: (at: number) => number,
): number {
  bytes.write(type, start, "latin1");
  const end = writeBody(start + HEADER_BYTES);
  bytes.writeInt32BE(end - start - 1, start + 1);
  return end;
}

function writeName(bytes: Buffer, at: number, name: string): number {
  const end = at + bytes.write(name, at);
  bytes[end] = 0;
  return end + 1;
}
