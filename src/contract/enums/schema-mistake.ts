/** The words of JSON Schema that a body can break; `rule`: a rule that JSON Schema has no word for. */
export const SCHEMA_MISTAKES = [
  "required",
  "type",
  "enum",
  "const",
  "minLength",
  "maxLength",
  "format",
  "pattern",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
  "uniqueItems",
  "additionalProperties",
  "anyOf",
  "rule",
] as const;
export type SchemaMistake = (typeof SCHEMA_MISTAKES)[number];
