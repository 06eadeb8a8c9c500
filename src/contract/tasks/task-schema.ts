/**
 * A table as JSON Schema: what OpenAPI shows of the body, and what another program's form can be
 * drawn from.
 */
import Type, { type TSchema } from "typebox";
import type { TaskParameter, Words } from "./task-parameter.ts";
import { defaultOf } from "./task-parameter.ts";
import type { TaskTable, TaskTableId } from "./task-table.ts";
import { TASK_TABLES } from "./task-tables.ts";

type Json = Record<string, unknown>;

/**
 * The same bounds that `readTaskParameters` keeps, but for what JSON Schema cannot say: the rules
 * between parameters (told in the description), and what is a usable URL. `x-media` is a media
 * parameter's MediaDeclaration, `x-ru` its words in Russian, `x-advanced` what a form may fold
 * away.
 */
export function taskSchema(table: TaskTable): TSchema {
  const properties = Object.entries(table.parameters).map(
    ([name, parameter]): [string, TSchema] => {
      const schema = Type.Unsafe(schemaOf(parameter));
      return [name, parameter.required === true ? schema : Type.Optional(schema)];
    },
  );
  return Type.Object(Object.fromEntries(properties), {
    title: table.title.en,
    description: describe(table),
    additionalProperties: false,
    "x-table": table.id,
    "x-makes": table.makes,
    "x-ru": { title: table.title.ru, description: table.summary.ru },
    examples: [table.examples.minimal, table.examples.full],
  });
}

function describe(table: TaskTable): string {
  const rules = [...table.rules, ...(table.measuredRules ?? [])].map(
    ({ says }) => `- ${says.message}`,
  );
  const rulesText = rules.length === 0 ? "" : `\n\nRules:\n${rules.join("\n")}`;
  return `${table.summary.en} (${table.id}) Null for an optional parameter is the same as leaving it out.${rulesText}`;
}

/** Not `format: uri`, which knows no addresses in other scripts than Latin. */
const WEB_ADDRESS: Json = { type: "string", pattern: "^[Hh][Tt][Tt][Pp][Ss]?://", maxLength: 2048 };

/**
 * Null is allowed where a value may be left out. One `type` list instead of a union, as everywhere
 * in the contract.
 */
function schemaOf(parameter: TaskParameter): Json {
  const byDefault = defaultOf(parameter);
  const nullable = parameter.required !== true;
  const { type, ...bounds } = boundsOf(parameter);
  const types = [
    ...(Array.isArray(type) ? (type as string[]) : [String(type)]),
    ...(nullable ? ["null"] : []),
  ];
  return {
    type: types.length === 1 ? types[0] : types,
    ...bounds,
    ...("enum" in bounds && nullable ? { enum: [...(bounds["enum"] as string[]), null] } : {}),
    ...words(parameter.title, parameter.description),
    ...(byDefault === undefined ? {} : { default: byDefault }),
    ...(parameter.advanced === true ? { "x-advanced": true } : {}),
  };
}

function boundsOf(parameter: TaskParameter): Json {
  switch (parameter.kind) {
    case "text":
      return {
        type: "string",
        ...bound("minLength", parameter.minLength),
        maxLength: parameter.maxLength,
        ...notBlank(parameter.minLength),
      };
    case "number":
      return {
        type: "number",
        ...bound("minimum", parameter.min),
        ...bound("maximum", parameter.max),
      };
    case "integer": {
      const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = parameter;
      return { type: "integer", minimum: min, maximum: max };
    }
    case "flag":
      return { type: "boolean" };
    case "choice":
      return { type: "string", enum: [...parameter.values] };
    case "url":
      return { ...WEB_ADDRESS, "x-media": plain(parameter.media) };
    case "urls": {
      const alone =
        parameter.alone === undefined ? {} : { "x-media-alone": plain(parameter.alone) };
      return {
        type: "array",
        items: { ...WEB_ADDRESS },
        ...countOf(parameter.count),
        "x-media": plain(parameter.media),
        ...alone,
      };
    }
    case "texts":
      return {
        type: "array",
        items: { type: "string", minLength: 1, maxLength: parameter.maxLength, ...notBlank(1) },
        ...countOf(parameter.count),
      };
    case "objects": {
      const fields = Object.entries(parameter.fields);
      const items = {
        type: "object",
        properties: Object.fromEntries(fields.map(([name, field]) => [name, schemaOf(field)])),
        required: fields.filter(([, field]) => field.required === true).map(([name]) => name),
        additionalProperties: false,
      };
      return {
        type: parameter.orFlag === true ? ["boolean", "array"] : "array",
        items,
        ...countOf(parameter.count),
      };
    }
  }
}

function bound(keyword: string, value: number | undefined): Json {
  return value === undefined || (keyword === "minLength" && value === 0)
    ? {}
    : { [keyword]: value };
}

/** Spaces alone say nothing. */
function notBlank(minLength: number | undefined): Json {
  return minLength === undefined || minLength === 0 ? {} : { pattern: "\\S" };
}

function countOf([min, max]: readonly [number, number]): Json {
  return { ...(min === 0 ? {} : { minItems: min }), maxItems: max };
}

/** A copy: a schema is handed out, the tables stay ours. */
function plain(value: object): Json {
  return structuredClone(value) as Json;
}

function words(title: Words, description: Words): Json {
  return {
    title: title.en,
    description: description.en,
    "x-ru": { title: title.ru, description: description.ru },
  };
}

/** By the names that they have in OpenAPI: `TaskT1` … `TaskT19`. */
export const TASK_SCHEMAS = Object.fromEntries(
  [...TASK_TABLES.values()].map((table) => [`Task${table.id}`, taskSchema(table)]),
) as Readonly<Record<`Task${TaskTableId}`, TSchema>>;
