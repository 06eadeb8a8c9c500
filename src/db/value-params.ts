/**
 * Single values as binary parameters, held to the same rules as those in arrays (array-params.ts).
 */
import type { Uuid } from "../kernel/ids.ts";
import { EPOCH_MS, withoutNul, writeUuidBytes } from "./array-params.ts";
import type { Encoded } from "./sql-type.ts";

const UUID_BYTES = 16;
const INT8_BYTES = 8;

/** `uuid`. Throws on a text that is not a UUID. */
export function uuidValue<Value extends Uuid | null>(
  value: Value,
): Encoded<"uuid"> | Extract<Value, null>;
export function uuidValue(value: Uuid | null): Encoded<"uuid"> | null {
  if (value === null) return null;
  const bytes = Buffer.allocUnsafe(UUID_BYTES) as Encoded<"uuid">;
  writeUuidBytes(bytes, 0, value);
  return bytes;
}

/** `int8`. Throws on a number that does not fit. */
export function bigintValue<Value extends bigint | null>(
  value: Value,
): Encoded<"int8"> | Extract<Value, null>;
export function bigintValue(value: bigint | null): Encoded<"int8"> | null {
  if (value === null) return null;
  if (BigInt.asIntN(64, value) !== value) throw new RangeError(`${value} is not a 64-bit integer`);
  return eightBytes(value) as Encoded<"int8">;
}

/** `timestamptz`, exact to the millisecond. Throws on an invalid date. */
export function timestampValue(value: Date): Encoded<"timestamptz"> {
  return eightBytes(BigInt(value.getTime() - EPOCH_MS) * 1000n) as Encoded<"timestamptz">;
}

/**
 * `text`. A NUL character, which PostgreSQL text cannot hold, and a lone surrogate become U+FFFD.
 */
export function textValue<Value extends string | null>(value: Value): string | Extract<Value, null>;
export function textValue(value: string | null): string | null {
  return value === null ? null : withoutNul(value);
}

function eightBytes(value: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(INT8_BYTES);
  bytes.writeBigInt64BE(value);
  return bytes;
}
