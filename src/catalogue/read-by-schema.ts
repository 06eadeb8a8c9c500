/**
 * Reads a part of the file by the schema that its body has elsewhere: the same keys, with every
 * mistake at its path and line.
 */
import type { Static, TSchema } from "typebox";
import { readAmount, readFactor } from "./read-amount.ts";
import type { Place, YamlReader } from "./yaml-reader.ts";

/**
 * What of JSON Schema the readable bodies use: objects with known keys, maps, lists, texts, whole
 * numbers.
 */
interface ReadableSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, ReadableSchema>>;
  readonly required?: readonly string[];
  /** Of a map: one, for all keys. */
  readonly patternProperties?: Readonly<Record<string, ReadableSchema>>;
  readonly items?: ReadableSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  /** The text is decimal roubles, or a decimal factor. */
  readonly "x-amount"?: "roubles" | "factor";
}

/** Amounts stay the text that was written. Undefined after a mistake was noted. */
export function readBySchema<Schema extends TSchema>(
  reader: YamlReader,
  at: Place,
  schema: Schema,
): Static<Schema> | undefined {
  return readValue(reader, at, schema) as Static<Schema> | undefined;
}

function readValue(reader: YamlReader, at: Place, schema: ReadableSchema): unknown {
  if (schema.properties !== undefined) return readObject(reader, at, schema, schema.properties);
  if (schema.patternProperties !== undefined) return readMap(reader, at, schema.patternProperties);
  if (schema.items !== undefined) return readList(reader, at, schema.items);
  if (schema.type === "integer")
    return reader.wholeNumber(at, schema.minimum ?? 0, schema.maximum ?? Number.MAX_SAFE_INTEGER);
  const amount = schema["x-amount"];
  if (amount === undefined) return reader.text(at);
  const read = amount === "roubles" ? readAmount(reader, at) : readFactor(reader, at);
  return read === undefined ? undefined : reader.text(at);
}

function readObject(
  reader: YamlReader,
  at: Place,
  { required = [] }: ReadableSchema,
  properties: Readonly<Record<string, ReadableSchema>>,
): unknown {
  const names = Object.keys(properties);
  const fields = reader.fields(at, names);
  if (fields === undefined) return undefined;
  const places = names.map(
    (name) =>
      [name, required.includes(name) ? reader.required(at, fields, name) : fields[name]] as const,
  );
  const present = places.flatMap(([name, place]) =>
    place === undefined ? [] : [{ name, at: place, schema: properties[name] ?? {} }],
  );
  const whole = names.every((name) => !required.includes(name) || fields[name] !== undefined);
  return allOf(reader, present, whole);
}

function readMap(
  reader: YamlReader,
  at: Place,
  patterns: Readonly<Record<string, ReadableSchema>>,
): unknown {
  const [schema = {}] = Object.values(patterns);
  const entries = reader.entries(at);
  return entries === undefined
    ? undefined
    : allOf(
        reader,
        entries.map((entry) => ({ ...entry, schema })),
        true,
      );
}

/** Every one of them is read, so that all mistakes are told at once. */
function allOf(
  reader: YamlReader,
  members: readonly {
    readonly name: string;
    readonly at: Place;
    readonly schema: ReadableSchema;
  }[],
  whole: boolean,
): Record<string, unknown> | undefined {
  const read = members.map(
    ({ name, at, schema }) => [name, readValue(reader, at, schema)] as const,
  );
  return whole && read.every(([, value]) => value !== undefined)
    ? Object.fromEntries(read)
    : undefined;
}

function readList(reader: YamlReader, at: Place, schema: ReadableSchema): unknown[] | undefined {
  const read = reader.items(at)?.map((place) => readValue(reader, place, schema));
  return read === undefined || read.includes(undefined) ? undefined : read;
}
