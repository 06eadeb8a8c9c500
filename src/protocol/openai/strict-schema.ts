/**
 * Whether a JSON Schema keeps to the rules under which OpenAI promises answers of exactly its form.
 */
import { isRecord } from "../json/is-record.ts";

/** Members that hold schemas by names of the author's choice. */
const NAMED_SCHEMAS: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);
/** Members that hold values, not schemas. */
const VALUES: ReadonlySet<string> = new Set([
  "const",
  "default",
  "enum",
  "examples",
  "required",
  "type",
]);

function isClosed(schema: Record<string, unknown>): boolean {
  const { properties, required } = schema;
  if (!isRecord(properties)) return true;
  const names = new Set<unknown>(Array.isArray(required) ? required : []);
  return (
    schema["additionalProperties"] === false &&
    Object.keys(properties).every((name) => names.has(name))
  );
}

/**
 * Every object in it forbids other properties and requires all that it names (platform.openai.com,
 * structured outputs). Other protocols promise as much with optional properties, and OpenAI refuses
 * those where `strict` is asked for.
 */
export function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema);
  if (!isRecord(schema)) return true;
  if (!isClosed(schema)) return false;
  return Object.entries(schema).every(([member, value]) => {
    if (VALUES.has(member)) return true;
    return NAMED_SCHEMAS.has(member) && isRecord(value)
      ? Object.values(value).every(isStrictSchema)
      : isStrictSchema(value);
  });
}
