/**
 * A schema of the contract as `/openapi.json` writes it: plain JSON that generators of clients make
 * good types of.
 */
import { PUBLIC_SCHEMAS } from "../contract/public-schemas.ts";

interface Place {
  /** The name of the component that is being defined: it is no reference to itself. */
  readonly own?: string;
  /** Of what callers send: objects may carry more than is described, and it is passed on. */
  readonly open?: boolean;
}

type Json = Readonly<Record<string, unknown>>;

const NAMES: ReadonlyMap<unknown, string> = new Map(
  Object.entries(PUBLIC_SCHEMAS).map(([name, schema]) => [schema, name]),
);
/** Keywords whose value is data, or names of the described, and no schema. */
const DATA = new Set(["enum", "const", "examples", "required", "x-media", "x-media-alone", "x-ru"]);
const WRITTEN_ANEW = new Set(["properties", "patternProperties", "default"]);
const ANY_NAME = "^.*$";

export function reference(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}

/** Every public schema inside it becomes a reference. */
export function describeSchema(schema: unknown, place: Place = {}): unknown {
  if (Array.isArray(schema))
    return schema.map((item) => describeSchema(item, { open: place.open === true }));
  if (typeof schema !== "object" || schema === null) return schema;
  const name = NAMES.get(schema);
  if (name !== undefined && name !== place.own) return reference(name);
  return plainly(schema as Json, place.open === true);
}

function plainly(schema: Json, open: boolean): Json {
  const inner = (value: unknown): unknown => describeSchema(value, { open });
  const keywords = Object.entries(schema)
    .filter(([key]) => !WRITTEN_ANEW.has(key))
    .map(([key, value]): [string, unknown] => [key, DATA.has(key) ? value : inner(value)]);
  return {
    ...Object.fromEntries<unknown>(keywords),
    ...withDefault(schema["description"], schema["default"]),
    ...listed(schema["properties"] as Json | undefined, inner),
    ...others(schema, open, inner),
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
