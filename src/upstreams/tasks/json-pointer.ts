/** Finds a value in a JSON document, or puts one there, by a pointer of RFC 6901. */
import { isRecord } from "../../protocol/json/is-record.ts";
import type { JsonPointer, JsonValue } from "../../protocol/task-provider.ts";

export type MutableJson =
  | null
  | boolean
  | number
  | string
  | MutableJson[]
  | { [key: string]: MutableJson };

function stepsOf(pointer: JsonPointer): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

const INDEX = /^(?:0|[1-9]\d{0,2})$/;

/**
 * Undefined where there is nothing. Never looks beyond the document's own members. `unpack`: texts
 * may be JSON themselves.
 */
export function valueAt(document: unknown, pointer: JsonPointer, unpack = false): unknown {
  let value = document;
  for (const step of stepsOf(pointer)) {
    if (unpack) value = unpacked(value);
    if (Array.isArray(value)) value = INDEX.test(step) ? value[Number(step)] : undefined;
    else if (isRecord(value)) value = Object.hasOwn(value, step) ? value[step] : undefined;
    else return undefined;
  }
  return unpack ? unpacked(value) : value;
}

function unpacked(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/**
 * A text, number or boolean as it is written; null for anything else, and for a text without a
 * visible character.
 */
export function scalarText(value: unknown): string | null {
  if (typeof value === "string") return value.trim() === "" ? null : value.trim();
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}

/** The first scalar at any of the places. */
export function firstScalar(document: unknown, pointers: readonly JsonPointer[]): string | null {
  for (const pointer of pointers) {
    const text = scalarText(valueAt(document, pointer));
    if (text !== null) return text;
  }
  return null;
}

/** Whether something is there: not nothing, null, false, zero, or empty. */
export function isPresent(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isRecord(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

/**
 * The document with the value at the place; objects and lists on the way are made: a list where the
 * next step is a number or `-`, which appends. The empty pointer replaces the document. False:
 * something else stands in the way.
 */
export function putAt(
  document: MutableJson,
  pointer: JsonPointer,
  value: MutableJson,
): { readonly document: MutableJson } | false {
  const steps = stepsOf(pointer);
  const last = steps.pop();
  if (last === undefined) return { document: value };
  let place = document;
  for (const [index, step] of steps.entries()) {
    const next = steps[index + 1] ?? last;
    const child = childOf(place, step);
    if (child !== undefined && typeof child === "object" && child !== null) {
      place = child;
      continue;
    }
    const made: MutableJson = next === "-" || INDEX.test(next) ? [] : {};
    if (child !== undefined || !setChild(place, step, made)) return false;
    place = made;
  }
  return setChild(place, last, value) ? { document } : false;
}

function childOf(place: MutableJson, step: string): MutableJson | undefined {
  if (Array.isArray(place)) return step === "-" ? undefined : place[Number(step)];
  return isRecord(place) && Object.hasOwn(place, step) ? place[step] : undefined;
}

function setChild(place: MutableJson, step: string, value: MutableJson): boolean {
  if (Array.isArray(place)) {
    if (step !== "-" && !INDEX.test(step)) return false;
    place[step === "-" ? place.length : Number(step)] = value;
    return true;
  }
  if (typeof place !== "object" || place === null) return false;
  place[step] = value;
  return true;
}

/** Lists in which something was put behind a place that stayed empty close up. */
export function withoutGaps(value: MutableJson): MutableJson {
  // `filter` passes over what was never set.
  if (Array.isArray(value)) return value.filter(() => true).map(withoutGaps);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, withoutGaps(member)]),
  );
}

/** A copy that may be changed. */
export function copyJson(value: JsonValue): MutableJson {
  return JSON.parse(JSON.stringify(value)) as MutableJson;
}
