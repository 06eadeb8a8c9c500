/**
 * Single values as binary parameters, held to the same rules as those in arrays (array-params.ts).
 */
import type { Uuid } from "../kernel/ids.ts";
import { EPOCH_MS, withoutNul, writeUuidBytes } from "./array-params.ts";

const UUID_BYTES = 16;
const INT8_BYTES = 8;

/** `uuid`. Throws on a text that is not a UUID. */
export function uuidValue(value: Uuid | null): Buffer | null {
  if (value === null) return null;
  const bytes = Buffer.allocUnsafe(UUID_BYTES);
  writeUuidBytes(bytes, 0, value);
  return bytes;
}

/** `int8`. Throws on a number that does not fit. */
export function bigintValue(value: bigint | null): Buffer | null {
  if (value === null) return null;
  if (BigInt.asIntN(64, value) !== value) throw new RangeError(`${value} is not a 64-bit integer`);
  const bytes = Buffer.allocUnsafe(INT8_BYTES);
  bytes.writeBigInt64BE(value);
  return bytes;
}

/** `timestamptz`, exact to the millisecond. Throws on an invalid date. */
export function timestampValue(value: Date): Buffer {
  return bigintValue(BigInt(value.getTime() - EPOCH_MS) * 1000n) as Buffer;
}

/**
 * `text`. A NUL character, which PostgreSQL text cannot hold, and a lone surrogate become U+FFFD.
 */
export function textValue(value: string | null): string | null {
  return value === null ? null : withoutNul(value);
}
