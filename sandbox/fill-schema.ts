/**
 * Makes a JSON value that fits a JSON Schema, the same one every time: arguments for tool calls and
 * structured answers.
 */
import { isObject, type JsonObject } from "./is-object.ts";

/** Below this depth only what the schema demands is made, so that recursive schemas end. */
const FULL_DEPTH = 4;
const MAX_DEPTH = 24;
/**
 * After so many values nothing optional is made any more; after twice as many, nulls are all a
 * schema still gets.
 */
const ENOUGH_VALUES = 1000;

const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "2026-01-15T12:00:00Z",
  date: "2026-01-15",
  time: "12:00:00Z",
  duration: "PT1H",
  email: "user@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000001",
};
/**
 * Tried in turn against a `pattern`; generating strings from regular expressions is not worth its
 * size here.
 */
const PATTERN_CANDIDATES = [
  "a",
  "A",
  "0",
  "1",
  "abc",
  "ABC",
  "123",
  "1234",
  "12345",
  "abc123",
  "a-b",
  "a_b",
  "#aabbcc",
  "+70000000000",
  "@user",
  "1.0.0",
  ...Object.values(FORMATS),
];

interface Place {
  readonly root: unknown;
  readonly name: string;
  /** Which of several values: the second parallel call gets other arguments than the first. */
  readonly variant: number;
  readonly depth: number;
  /** Shared by the whole run. */
  readonly made: { count: number };
}

/**
 * @param variant 0 for the first value, 1 for one that differs from it where the schema lets it.
 */
export function fillSchema(schema: unknown, variant = 0): unknown {
  return fill(schema, { root: schema, name: "value", variant, depth: 0, made: { count: 0 } });
}

function fill(given: unknown, place: Place): unknown {
  const schema = resolve(given, place.root);
  if (place.depth > MAX_DEPTH || place.made.count++ > 2 * ENOUGH_VALUES) return null;
  if ("const" in schema) return schema.const;
  const choices = firstList(schema.enum, schema.examples);
  if (choices !== null) return choices[place.variant % choices.length];
  const options = firstList(schema.anyOf, schema.oneOf);
  if (options !== null)
    return fill(pickOption(options, place), { ...place, depth: place.depth + 1 });
  switch (pickType(schema, place)) {
    case "object":
      return fillObject(schema, place);
    case "array":
      return fillArray(schema, place);
    case "integer":
    case "number":
      return fillNumber(schema, place);
    case "boolean":
      return place.variant % 2 === 0;
    case "null":
      return null;
    default:
      return fillString(schema, place);
  }
}

/**
 * Follows `$ref` inside the document and merges `allOf`. Anything that is no schema counts as the
 * empty one.
 */
function resolve(given: unknown, root: unknown, hops = 0): JsonObject {
  if (!isObject(given)) return {};
  if (typeof given.$ref === "string" && hops < MAX_DEPTH) {
    let target = root;
    for (const raw of given.$ref.split("/").slice(1)) {
      const step = decodeURIComponent(raw).replaceAll("~1", "/").replaceAll("~0", "~");
      target = isObject(target) || Array.isArray(target) ? (target as JsonObject)[step] : undefined;
    }
    return resolve(target, root, hops + 1);
  }
  if (!Array.isArray(given.allOf) || hops >= MAX_DEPTH) return given;
  const merged: JsonObject = { ...given };
  for (const part of given.allOf) {
    const { properties, required, ...rest } = resolve(part, root, hops + 1);
    Object.assign(merged, rest);
    if (isObject(properties))
      merged.properties = {
        ...(isObject(merged.properties) ? merged.properties : {}),
        ...properties,
      };
    if (Array.isArray(required))
      merged.required = [...listOf(merged.required), ...listOf(required)];
  }
  return merged;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function firstList(...lists: unknown[]): readonly unknown[] | null {
  return lists.map(listOf).find((list) => list.length > 0) ?? null;
}

function isNull(schema: JsonObject): boolean {
  return schema.type === "null" || ("const" in schema && schema.const === null);
}

/** The first option that is more than null; deep down, null where it is allowed. */
function pickOption(options: readonly unknown[], place: Place): unknown {
  const resolved = options.map((option) => resolve(option, place.root));
  const wanted =
    place.depth > FULL_DEPTH ? resolved.find(isNull) : resolved.find((option) => !isNull(option));
  return wanted ?? resolved[0];
}

function pickType(schema: JsonObject, place: Place): unknown {
  if (Array.isArray(schema.type)) {
    const wanted =
      place.depth > FULL_DEPTH && schema.type.includes("null")
        ? "null"
        : listOf(schema.type).find((type) => type !== "null");
    return wanted ?? "null";
  }
  if (schema.type !== undefined) return schema.type;
  if ("properties" in schema || "required" in schema) return "object";
  return "items" in schema || "prefixItems" in schema ? "array" : "string";
}

function fillObject(schema: JsonObject, place: Place): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = new Set(listOf(schema.required));
  const made: JsonObject = {};
  for (const name of new Set([
    ...Object.keys(properties),
    ...[...required].filter((key) => typeof key === "string"),
  ])) {
    if (!required.has(name) && (place.depth >= FULL_DEPTH || place.made.count > ENOUGH_VALUES))
      continue;
    Object.defineProperty(made, name, {
      value: fill(properties[name], { ...place, name, depth: place.depth + 1 }),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return made;
}

function fillArray(schema: JsonObject, place: Place): unknown[] {
  const heads = listOf(schema.prefixItems);
  const least = typeof schema.minItems === "number" ? schema.minItems : 0;
  const most = typeof schema.maxItems === "number" ? schema.maxItems : Infinity;
  const wanted = Math.max(
    least,
    heads.length,
    place.depth > FULL_DEPTH || schema.items === false ? 0 : 1,
  );
  return Array.from({ length: Math.min(wanted, most, 1000) }, (_, at) =>
    fill(heads[at] ?? schema.items, {
      ...place,
      variant: place.variant + at,
      depth: place.depth + 1,
    }),
  );
}

function fillNumber(schema: JsonObject, place: Place): number {
  const whole = schema.type === "integer";
  const step =
    typeof schema.multipleOf === "number" && schema.multipleOf > 0
      ? schema.multipleOf
      : whole
        ? 1
        : null;
  let low = typeof schema.minimum === "number" ? schema.minimum : -Infinity;
  if (typeof schema.exclusiveMinimum === "number")
    low = Math.max(low, schema.exclusiveMinimum + (step ?? 0.5));
  let high = typeof schema.maximum === "number" ? schema.maximum : Infinity;
  if (typeof schema.exclusiveMaximum === "number")
    high = Math.min(high, schema.exclusiveMaximum - (step ?? 0.5));
  const wanted = Math.max(low, Math.min(high, 1 + place.variant));
  if (step === null) return wanted;
  const up = Math.ceil(wanted / step) * step;
  return up <= high ? up : Math.floor(wanted / step) * step;
}

function fillString(schema: JsonObject, place: Place): string {
  const least = typeof schema.minLength === "number" ? Math.min(schema.minLength, 10_000) : 0;
  const most = typeof schema.maxLength === "number" ? schema.maxLength : Infinity;
  if (typeof schema.pattern === "string") {
    const fits = matcher(schema.pattern);
    const found = PATTERN_CANDIDATES.find(
      (text) => text.length >= least && text.length <= most && fits(text),
    );
    if (found !== undefined) return found;
  }
  const format = typeof schema.format === "string" ? FORMATS[schema.format] : undefined;
  const text =
    format ?? `sample ${place.name}${place.variant === 0 ? "" : ` ${place.variant + 1}`}`;
  return text.padEnd(least, ".").slice(0, most);
}

function matcher(pattern: string): (text: string) => boolean {
  try {
    const expression = new RegExp(pattern, "u");
    return (text) => expression.test(text);
  } catch {
    return () => false;
  }
}
