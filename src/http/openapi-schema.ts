/**
 * A schema of the contract as `/openapi.json` writes it: plain JSON that generators of clients make
 * good types of.
 */
import type { TObject } from "typebox";
import { PUBLIC_SCHEMAS } from "../contract/public-schemas.ts";

interface Place {
  /** The name of the component that is being defined: it is no reference to itself. */
  readonly own?: string;
  /** What has a name in the document; absent: the bodies of the public API. */
  readonly names?: SchemaNames;
  /** Of what callers send: objects may carry more than is described, and it is passed on. */
  readonly open?: boolean;
}

/** Schemas by what they are called. */
export type SchemaNames = ReadonlyMap<unknown, string>;

type Json = Readonly<Record<string, unknown>>;

const NAMES = namesOf(PUBLIC_SCHEMAS);
/** Keywords whose value is data, or names of the described, and no schema. */
const DATA = new Set(["enum", "const", "examples", "required", "x-media", "x-media-alone", "x-ru"]);
const WRITTEN_ANEW = new Set(["properties", "patternProperties", "default"]);
const ANY_NAME = "^.*$";

export function namesOf(schemas: Readonly<Record<string, unknown>>): SchemaNames {
  return new Map(Object.entries(schemas).map(([name, schema]) => [schema, name]));
}

export function reference(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}

/** Every schema inside it that has a name becomes a reference. */
export function describeSchema(schema: unknown, place: Place = {}): unknown {
  const { own, ...inside } = place;
  if (Array.isArray(schema)) return schema.map((item) => describeSchema(item, inside));
  if (typeof schema !== "object" || schema === null) return schema;
  const name = (place.names ?? NAMES).get(schema);
  if (name !== undefined && name !== own) return reference(name);
  return plainly(schema as Json, inside);
}

/** A query's parameters, as operations list them. */
export function describeQuery(query: TObject, place: Place = {}): object[] {
  const required = new Set(Array.isArray(query.required) ? query.required : []);
  return Object.entries(query.properties).map(([name, schema]) => {
    const { description, ...rest } = describeSchema(schema, place) as { description?: string };
    return {
      name,
      in: "query",
      required: required.has(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function plainly(schema: Json, place: Place): Json {
  const inner = (value: unknown): unknown => describeSchema(value, place);
  const keywords = Object.entries(schema)
    .filter(([key, value]) => !WRITTEN_ANEW.has(key) && !(key === "description" && value === ""))
    .map(([key, value]): [string, unknown] => [key, DATA.has(key) ? value : inner(value)]);
  return {
    ...Object.fromEntries<unknown>(keywords),
    ...withDefault(schema["description"], schema["default"]),
    ...listed(schema["properties"] as Json | undefined, inner),
    ...others(schema, place.open === true, inner),
  };
}

function listed(properties: Json | undefined, inner: (value: unknown) => unknown): Json {
  const names = Object.entries(properties ?? {});
  return names.length === 0
    ? {}
    : { properties: Object.fromEntries(names.map(([name, value]) => [name, inner(value)])) };
}

/**
 * Told in words: generators take a property with a `default` for one that is always there, and want
 * it from every caller.
 */
function withDefault(description: unknown, byDefault: unknown): Json {
  if (byDefault === undefined) return {};
  const words = `Default: \`${JSON.stringify(byDefault)}\`.`;
  return { description: typeof description === "string" ? `${description} ${words}` : words };
}

function isAnything(schema: unknown): boolean {
  return typeof schema === "object" && schema !== null && Object.keys(schema).length === 0;
}

/**
 * What the names that are not listed may hold; said where generators would otherwise allow none.
 */
function others(
  { type, properties, patternProperties, additionalProperties }: Json,
  open: boolean,
  inner: (value: unknown) => unknown,
): Json {
  if (
    additionalProperties !== undefined ||
    (properties === undefined && patternProperties === undefined)
  )
    return {};
  const every = (patternProperties as Json | undefined)?.[ANY_NAME];
  if (every !== undefined) return { additionalProperties: isAnything(every) ? true : inner(every) };
  const unlisted = Object.keys((properties as Json | undefined) ?? {}).length === 0;
  return [type].flat().includes("object") && (open || unlisted)
    ? { additionalProperties: true }
    : {};
}
