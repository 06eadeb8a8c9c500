/** Puts one parameter of ours where the provider wants it, in the form it wants. */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import { isRecord } from "../../protocol/json/is-record.ts";
import type { FieldMapping, JsonValue } from "../../protocol/task-provider.ts";
import { copyJson, putAt, type MutableJson } from "./json-pointer.ts";

/** Null: the field does not apply to such a value. A reason says what is wrong with the mapping. */
export function putField(
  input: MutableJson,
  field: FieldMapping,
  { name: parameter, value: given }: { readonly name: string; readonly value: JsonValue },
): { readonly input: MutableJson } | WordedReason | null {
  if (field.only !== null && field.only !== kindOf(given)) return null;
  const value = withSuffix(
    field,
    field.value === undefined ? cast(field, mapped(field, given)) : copyJson(field.value),
  );
  if (value === undefined)
    return sayReason("parameter_without_form", { parameter, form: field.as ?? "value" });
  const entries = field.item !== undefined && Array.isArray(value) ? value : [value];
  let document = input;
  for (const entry of entries) {
    const item =
      field.item === undefined
        ? { document: entry }
        : putAt(copyJson(field.item), field.at ?? "", entry);
    const put = item === false ? false : putAt(document, field.to, item.document);
    if (put === false)
      return sayReason("parameter_without_place", { parameter, pointer: field.to });
    document = put.document;
  }
  return { input: document };
}

function kindOf(value: JsonValue): FieldMapping["only"] {
  if (Array.isArray(value)) return "list";
  if (typeof value === "string") return "text";
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "flag" : null;
}

/** Enumerated values by the table, of a list each; objects with their keys renamed. */
function mapped(field: FieldMapping, value: JsonValue): MutableJson {
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).map((entry) => mapped(field, entry));
  if (isRecord(value)) return copyJson(renamed(field, value));
  const other = field.values.get(typeof value === "string" ? value : JSON.stringify(value));
  return copyJson(other === undefined ? value : other);
}

function renamed(field: FieldMapping, value: Readonly<Record<string, JsonValue>>): JsonValue {
  const entries = Object.entries(value).filter(
    ([, member]) => member !== undefined && member !== null,
  );
  return Object.fromEntries(
    entries.map(([key, member]) => [
      Object.hasOwn(field.keys, key) ? (field.keys[key] ?? key) : key,
      member,
    ]),
  );
}

function withSuffix(
  { suffix }: FieldMapping,
  value: MutableJson | undefined,
): MutableJson | undefined {
  return suffix !== null && typeof value === "string" ? value + suffix : value;
}

/** Undefined: it cannot be made into that. */
function cast(field: FieldMapping, value: MutableJson): MutableJson | undefined {
  switch (field.as) {
    case null:
      return value;
    case "list":
      return Array.isArray(value) ? value : [value];
    case "first":
      return Array.isArray(value) ? value[0] : value;
    case "text":
      return typeof value === "object" ? undefined : String(value);
    case "number": {
      const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
      return typeof number === "number" && Number.isFinite(number) ? number : undefined;
    }
  }
}
