/**
 * Reads a part of the file by its schema, as far as it can be read, with every mistake at its path
 * and line.
 */
import type { Static, TSchema } from "typebox";
import { readFactor, readRoubles } from "./single-values.ts";
import type { Draft, FileSchema } from "./schema-parts.ts";
import type { Place, YamlReader } from "./yaml-reader.ts";

/** Marks a draft in which something is mistaken. */
const BROKEN = Symbol("broken");

/** Undefined where nothing of it could be read. */
export function readBySchema<Schema extends TSchema>(
  reader: YamlReader,
  at: Place,
  schema: Schema,
): Draft<Static<Schema>> | undefined {
  return readPlace(reader, at, schema, 1) as Draft<Static<Schema>> | undefined;
}

/** A draft without any mistake in it; undefined: it has some. */
export function wholeOf<T>(draft: Draft<T> | undefined): T | undefined {
  const isBroken = typeof draft === "object" && draft !== null && BROKEN in draft;
  return isBroken ? undefined : (draft as T | undefined);
}

function readPlace(given: YamlReader, at: Place, schema: FileSchema, depth: number): unknown {
  const reader = schema["~references"] === true ? given.withEnvironment : given;
  const before = reader.gaps();
  const value = readKind(reader, at, schema, depth);
  if (value === undefined) return undefined;
  // A rule may ask whether what it is about is whole.
  if (reader.gaps() > before) markBroken(value);
  schema["~rule"]?.(value, { at, reader });
  const compile = schema["~compile"];
  if (reader.gaps() === before) return compile === undefined ? value : compile(value);
  markBroken(value);
  return compile === undefined && typeof value === "object" ? value : undefined;
}

function markBroken(value: unknown): void {
  if (typeof value === "object" && value !== null && !(BROKEN in value))
    Object.defineProperty(value, BROKEN, { value: true });
}

function readKind(reader: YamlReader, at: Place, schema: FileSchema, depth: number): unknown {
  const again = schema["~again"];
  if (again !== undefined) return readPlace(reader, at, again(), depth + 1);
  const { "~plain": plain, "~by": by } = schema;
  if (plain !== undefined && !reader.isMapping(at)) return readPlace(reader, at, plain, depth);
  if (depth > (schema["~deepest"] ?? Infinity))
    return reader.note(at, "too_deep", { what: "tables", max: schema["~deepest"] ?? 0 });
  if (by !== undefined) return readChosen(reader, at, by, depth);
  if (schema["~entry"] !== undefined || schema.patternProperties !== undefined)
    return readEntries(reader, at, schema, depth);
  if (schema.properties !== undefined)
    return readFields(reader, at, schema, schema.properties, depth);
  if (schema.items !== undefined) return readItems(reader, at, schema, schema.items, depth);
  if (schema["~place"] !== undefined) return schema["~place"]({ at, reader });
  return readScalar(reader, at, schema);
}

function readScalar(reader: YamlReader, at: Place, schema: FileSchema): unknown {
  if (schema.enum !== undefined && schema["~text"] === undefined)
    return reader.oneOf(at, schema.enum);
  if (schema.type === "integer")
    return reader.wholeNumber(at, schema.minimum ?? 0, schema.maximum ?? Number.MAX_SAFE_INTEGER);
  const text = reader.text(at);
  if (text === undefined) return undefined;
  const found = { at, reader };
  if (schema["~text"] !== undefined) return schema["~text"](text, found);
  const amount = schema["x-amount"];
  if (amount === undefined) return text;
  const read = amount === "roubles" ? readRoubles(text, found) : readFactor(text, found);
  return read === undefined ? undefined : text;
}

function readFields(
  reader: YamlReader,
  at: Place,
  { required = [], "~short": short }: FileSchema,
  properties: Readonly<Record<string, FileSchema>>,
  depth: number,
): unknown {
  const fields =
    short === undefined || reader.isMapping(at)
      ? reader.fields(at, Object.keys(properties))
      : new Map([[short, at]]);
  if (fields === undefined) return undefined;
  const read: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const place = fields.get(name);
    if (place !== undefined) {
      const value = readPlace(reader, place, schema, depth);
      if (value !== undefined) read[name] = value;
    } else if ("~absent" in schema) read[name] = schema["~absent"];
    else if (required.includes(name)) reader.note(reader.child(at, name), "missing");
  }
  return read;
}

function readEntries(reader: YamlReader, at: Place, schema: FileSchema, depth: number): unknown {
  const entries = reader.entries(at);
  if (entries === undefined) return undefined;
  if (entries.length === 0 && schema["~none"] !== undefined)
    reader.note(at, "none_given", { what: schema["~none"] });
  const [each = schema["~entry"] ?? {}] = Object.values(schema.patternProperties ?? {});
  const read = new Map<string, unknown>();
  for (const { name, at: place } of entries) {
    schema["~key"]?.(name, { at: place, reader });
    read.set(name, readPlace(reader, place, schema["~entryOf"]?.(name) ?? each, depth));
  }
  const isRecord = schema["~asRecord"] === true || schema.patternProperties !== undefined;
  return isRecord ? Object.fromEntries(read) : read;
}

function readItems(
  reader: YamlReader,
  at: Place,
  schema: FileSchema,
  items: FileSchema,
  depth: number,
): unknown {
  const isAlone = schema["~orAlone"] === true && !reader.isList(at);
  const places = isAlone ? [at] : reader.items(at);
  if (places?.length === 0 && schema["~none"] !== undefined)
    reader.note(at, "none_given", { what: schema["~none"] });
  return places?.map((place) => readPlace(reader, place, items, depth));
}

function readChosen(
  reader: YamlReader,
  at: Place,
  { key, of }: NonNullable<FileSchema["~by"]>,
  depth: number,
): unknown {
  const entry = reader.entries(at)?.find(({ name }) => name === key);
  if (entry === undefined)
    return reader.isMapping(at) ? reader.note(at, "type_missing") : undefined;
  const word = reader.oneOf(entry.at, Object.keys(of));
  return word === undefined ? undefined : readPlace(reader, at, of[word] ?? {}, depth);
}
