/**
 * Takes from a body the fields that a translation needs, and refuses by its path what it cannot
 * take.
 */
import { Fault } from "../../kernel/faults.ts";
import { isRecord } from "../json/is-record.ts";

interface Kinds {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
  readonly object: Record<string, unknown>;
  readonly array: readonly unknown[];
}

/** `param` is the path as find-mistakes.ts writes it: `messages[0].content[1].text`. */
export function refuse(param: string, message: string): never {
  throw new Fault("invalid_request", { message, param });
}

/** The path of a field of the value at `path`; empty for the body itself. */
export function fieldPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function isKind<K extends keyof Kinds>(value: unknown, kind: K): value is Kinds[K] {
  if (kind === "object") return isRecord(value);
  return kind === "array" ? Array.isArray(value) : typeof value === kind;
}

/** `value` stands at `path`. */
export function expect<K extends keyof Kinds>(value: unknown, kind: K, path: string): Kinds[K] {
  if (isKind(value, kind)) return value;
  return refuse(path, `'${path}' must be ${/^[aeio]/.test(kind) ? "an" : "a"} ${kind}.`);
}

/** The field `name` of `holder`, which stands at `path`; null where it is missing or null. */
export function optional<K extends keyof Kinds>(
  holder: Record<string, unknown>,
  name: string,
  kind: K,
  path = "",
): Kinds[K] | null {
  const value = holder[name];
  return value === undefined || value === null ? null : expect(value, kind, fieldPath(path, name));
}

export function required<K extends keyof Kinds>(
  holder: Record<string, unknown>,
  name: string,
  kind: K,
  path: string,
): Kinds[K] {
  const param = fieldPath(path, name);
  return optional(holder, name, kind, path) ?? refuse(param, `'${param}' is required.`);
}
