/** What is wrong with a schema that a model shall keep to exactly, in the vendor's words. */
import { isObject } from "../is-object.ts";

export function schemaMistake(schema: unknown): string | null {
  if (Array.isArray(schema)) return firstOf(schema);
  if (!isObject(schema)) return null;
  const { properties } = schema;
  if (isObject(properties)) {
    if (schema.additionalProperties !== false)
      return "In context=(), 'additionalProperties' is required to be supplied and to be false.";
    const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
    const missing = Object.keys(properties).find((name) => !required.includes(name));
    if (missing !== undefined)
      return `In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
  }
  const within = [
    ...(isObject(properties) ? Object.values(properties) : []),
    ...(isObject(schema.$defs) ? Object.values(schema.$defs) : []),
    schema.items,
    schema.anyOf,
  ];
  return firstOf(within);
}

function firstOf(schemas: readonly unknown[]): string | null {
  for (const one of schemas) {
    const mistake = schemaMistake(one);
    if (mistake !== null) return mistake;
  }
  return null;
}
