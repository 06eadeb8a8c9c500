/** What a value may be, in a few signs that are the same in every language: `integer | null, ≥ 1`. */
import { schemaName, type ApiSchema } from "./api-document.ts";

/** A longer list is in the description. */
const MOST_VALUES = 24;

export interface TypeWords {
  /** Names of schemas, and what stands between them. */
  readonly parts: readonly (string | { readonly schema: string })[];
  /** Empty: none. */
  readonly bounds: string;
}

export function typeWords(schema: ApiSchema): TypeWords {
  return { parts: partsOf(schema), bounds: boundsOf(schema) };
}

function partsOf(schema: ApiSchema): TypeWords["parts"] {
  const name = schemaName(schema);
  if (name !== null) return [{ schema: name }];
  const { const: only, enum: values, anyOf, items, type, format } = schema;
  if (only !== undefined) return [JSON.stringify(only)];
  if (values !== undefined && values.length <= MOST_VALUES)
    return [values.map((value) => JSON.stringify(value)).join(" | ")];
  if (anyOf !== undefined)
    return anyOf.flatMap((one, at) => (at === 0 ? partsOf(one) : [" | ", ...partsOf(one)]));
  const types = [type ?? "any"].flat();
  return types.flatMap((one, at) => [
    ...(at === 0 ? [] : [" | "]),
    ...(one === "array" ? [...partsOf(items ?? {}), "[]"] : [withFormat(one, format)]),
  ]);
}

function withFormat(type: string, format: string | undefined): string {
  if (type === "null" || format === undefined) return type;
  return format === "binary" ? "file" : `${type} (${format})`;
}

function boundsOf(schema: ApiSchema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  return span(minimum ?? minLength ?? minItems, maximum ?? maxLength ?? maxItems);
}

function span(least: number | undefined, most: number | undefined): string {
  const top = most === Number.MAX_SAFE_INTEGER ? undefined : most;
  if (least !== undefined && top !== undefined) return `${least} … ${top}`;
  if (least !== undefined) return `≥ ${least}`;
  return top === undefined ? "" : `≤ ${top}`;
}
