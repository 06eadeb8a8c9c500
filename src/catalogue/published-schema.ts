/**
 * The schema of the catalogue file as JSON Schema (draft 07), by which editors complete the file
 * and mark its slips: the same schemas that it is read by, without what only our reader knows.
 */
import type { TSchema } from "typebox";
import { CATALOGUE_FILE } from "./catalogue-schema.ts";
import { ROUTE_LIMITS } from "./route-limits-schema.ts";
import type { FileSchema } from "./schema-parts.ts";
import { whereKey } from "./schema-parts.ts";
import { FACTOR, ROUBLES } from "./single-values.ts";

type Json = Readonly<Record<string, unknown>>;

interface Publishing {
  /** `${NAME}` may stand in place of a value. */
  readonly references: boolean;
  readonly definitions: Map<string, Json>;
}

const REFERENCE = {
  description: "Holds ${NAME}, which is replaced by the environment variable.",
  type: "string",
  pattern: String.raw`\$\{[A-Za-z_][A-Za-z0-9_]*\}`,
};

export function publishedSchema(): Json {
  const definitions = new Map<string, Json>([["reference", REFERENCE]]);
  const publishing = { references: false, definitions };
  const file: TSchema = CATALOGUE_FILE;
  const published = publish(file, publishing);
  const ofTables = [...ROUTE_LIMITS].map(([table, limits]: [string, TSchema]) =>
    whereKey("parameters", [table], limitedBy(publish(limits, publishing))),
  );
  definitions.set("taskModel", { ...definitions.get("taskModel"), allOf: ofTables });
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Tollgate catalogue",
    ...published,
    definitions: Object.fromEntries(definitions),
  };
}

/** What the routes of a model with one table may limit. */
function limitedBy(limits: Json): Json {
  return { properties: { routes: { items: { properties: { limits } } } } };
}

function publish(schema: FileSchema, given: Publishing): Json {
  const publishing = schema["~references"] === true ? { ...given, references: true } : given;
  const absent = schema["~absent"];
  const isPlain = ["string", "number", "boolean"].includes(typeof absent);
  const words = wordsOf(schema);
  return {
    ...words,
    ...shapeOf(schema, publishing),
    ...words,
    ...(isPlain ? { default: absent } : {}),
  };
}

function wordsOf({ description }: FileSchema): Json {
  return description === undefined ? {} : { description };
}

function shapeOf(schema: FileSchema, publishing: Publishing): Json {
  const again = schema["~again"];
  if (again !== undefined) return referTo(again()["~name"]);
  const name = schema["~name"];
  if (name === undefined) return partsOf(schema, publishing);
  const { definitions } = publishing;
  if (!definitions.has(name)) {
    // Before its parts, which may refer to it.
    definitions.set(name, {});
    definitions.set(name, { ...wordsOf(schema), ...partsOf(schema, publishing) });
  }
  return referTo(name);
}

function referTo(name = ""): Json {
  return { $ref: `#/definitions/${name}` };
}

function partsOf(schema: FileSchema, publishing: Publishing): Json {
  const { "~plain": plain, "~short": short, "~by": by, properties = {} } = schema;
  const alone = plain ?? (short === undefined ? undefined : properties[short]);
  if (alone !== undefined) {
    const map = schema["~entry"];
    const more =
      map === undefined ? objectOf(schema, properties, publishing) : mapOf(schema, map, publishing);
    return anyOf(publish(alone, publishing), more);
  }
  if (by !== undefined) return chosenBy(by, publishing);
  if (schema.properties !== undefined) return objectOf(schema, properties, publishing);
  const [entry = schema["~entry"]] = Object.values(schema.patternProperties ?? {});
  if (entry !== undefined) return mapOf(schema, entry, publishing);
  if (schema.items !== undefined) return listOf(schema, schema.items, publishing);
  return valueOf(schema, publishing);
}

function anyOf(...schemas: readonly Json[]): Json {
  return { anyOf: schemas };
}

function objectOf(
  { required = [], allOf }: FileSchema,
  properties: Readonly<Record<string, FileSchema>>,
  publishing: Publishing,
): Json {
  const needed = required.filter((name) => !("~absent" in (properties[name] ?? {})));
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, publish(schema, publishing)]),
    ),
    ...(needed.length === 0 ? {} : { required: needed }),
    additionalProperties: false,
    ...(allOf === undefined ? {} : { allOf }),
  };
}

function mapOf(schema: FileSchema, entry: FileSchema, publishing: Publishing): Json {
  const pattern = schema["~keyPattern"];
  return {
    type: "object",
    additionalProperties: publish(entry, publishing),
    ...(pattern === undefined ? {} : { propertyNames: { pattern } }),
    ...(schema["~none"] === undefined ? {} : { minProperties: 1 }),
  };
}

function listOf(
  { minItems, maxItems, "~orAlone": orAlone }: FileSchema,
  items: FileSchema,
  publishing: Publishing,
): Json {
  const one = publish(items, publishing);
  const list = {
    type: "array",
    items: one,
    ...(minItems === undefined ? {} : { minItems }),
    ...(maxItems === undefined ? {} : { maxItems }),
  };
  return orAlone === true ? anyOf(one, list) : list;
}

/** One shape for each word, so that an editor says what is wrong with the one that is meant. */
function chosenBy({ key, of }: NonNullable<FileSchema["~by"]>, publishing: Publishing): Json {
  const words = Object.values(of).map(({ properties }) => wordsOf(properties?.[key] ?? {}));
  return {
    type: "object",
    required: [key],
    properties: { [key]: { ...words[0], enum: Object.keys(of) } },
    allOf: Object.entries(of).map(([word, schema]) =>
      whereKey(key, [word], publish(schema, publishing)),
    ),
  };
}

function valueOf(schema: FileSchema, publishing: Publishing): Json {
  const amount = schema["x-amount"];
  const amounts: Readonly<Record<"roubles" | "factor", TSchema>> = {
    roubles: ROUBLES,
    factor: FACTOR,
  };
  if (amount !== undefined) return publish(amounts[amount], publishing);
  const known = Object.entries(schema).filter(
    ([keyword]) => !keyword.startsWith("~") && keyword !== "description",
  );
  const value: Json = Object.fromEntries(known);
  const written = schema.enum === undefined ? value : { ...value, enum: asYaml(schema.enum) };
  // Any text, and any value, may hold a reference already.
  const isOpen = Array.isArray(schema.type) || known.length === 0;
  return publishing.references && !isOpen ? anyOf(written, referTo("reference")) : written;
}

/** Words as YAML types them where they stand without quotes. */
function asYaml(words: readonly string[]): unknown[] {
  return words.flatMap((word): unknown[] => {
    if (word === "true" || word === "false") return [word === "true"];
    return /^\d+(?:\.\d+)?$/.test(word) ? [word, Number(word)] : [word];
  });
}
