/**
 * Schemas of a value that may also be null, as one JSON Schema `type` list: mistakes then name the
 * value, not the branches of a union.
 */
import Type, { type TSchema, type TUnsafe } from "typebox";

interface Words {
  readonly description: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
}

export function nullableBoolean(words: Words): TUnsafe<boolean | null> {
  return Type.Unsafe({ type: ["boolean", "null"], ...words });
}

export function nullableString(words: Words): TUnsafe<string | null> {
  return Type.Unsafe({ type: ["string", "null"], ...words });
}

export function nullableNumber(
  range: { minimum?: number; maximum?: number },
  words: Words,
): TUnsafe<number | null> {
  return Type.Unsafe({ type: ["number", "null"], ...range, ...words });
}

export function nullableInteger(
  range: { minimum?: number; maximum?: number },
  words: Words,
): TUnsafe<number | null> {
  return Type.Unsafe({ type: ["integer", "null"], ...range, ...words });
}

/**
 * An object (or null) whose listed properties, where present, have the given schemas. Others are
 * allowed.
 */
export function nullableObject(
  properties: Record<string, TSchema>,
  words: Words,
): TUnsafe<Record<string, unknown> | null> {
  return Type.Unsafe({ type: ["object", "null"], properties, ...words });
}

export function nullableArray(items: TSchema, words: Words): TUnsafe<unknown[] | null> {
  return Type.Unsafe({ type: ["array", "null"], items, ...words });
}
