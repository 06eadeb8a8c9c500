/** PostgreSQL array literals as text parameters: several times cheaper than the driver's own encoding, which matters to batches. */
import type { Uuid } from "../kernel/ids.ts";

/** `{a,NULL,b}`. The caller has made sure that these are UUIDs. */
export function uuidArray(values: readonly (Uuid | null)[]): string {
  return plainArray(values);
}

/** `{1,NULL,3}` for integer and bigint columns. */
export function integerArray(values: readonly (bigint | number | null)[]): string {
  return plainArray(values);
}

/** `{"a","b \"quoted\"",NULL}`. A NUL character, which PostgreSQL text cannot hold, becomes U+FFFD. */
export function textArray(values: readonly (string | null)[]): string {
  let literal = "{";
  for (const value of values) {
    if (literal.length > 1) literal += ",";
    literal += value === null ? "NULL" : `"${value.replaceAll(/["\\\0]/g, escape)}"`;
  }
  return `${literal}}`;
}

function escape(character: string): string {
  return character === "\0" ? "\uFFFD" : `\\${character}`;
}

function plainArray(values: readonly (string | bigint | number | null)[]): string {
  let literal = "{";
  for (const value of values) {
    if (literal.length > 1) literal += ",";
    literal += value === null ? "NULL" : value.toString();
  }
  return `${literal}}`;
}
