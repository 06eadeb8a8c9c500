/**
 * Turns the texts of a query into the types that its schema names, explicitly: nothing is guessed,
 * and what does not fit stays a text for the validator to refuse.
 */
import type { TObject } from "typebox";
import { Fault } from "../kernel/faults.ts";

const WHOLE_NUMBER = /^-?\d{1,15}$/;

/**
 * Parameters that the schema does not name are left out (`?beta=true`). A parameter given twice
 * becomes a list, which no schema accepts. Throws Fault("invalid_request") for a NUL, which is in
 * no text that a database could be asked for.
 */
export function readQuery(schema: TObject, search: string): Record<string, unknown> {
  const given = new URLSearchParams(search);
  const read: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const values = given.getAll(name);
    const [value] = values;
    if (value === undefined) continue;
    if (value.includes("\0"))
      throw new Fault("invalid_request", {
        message: `'${name}' contains a NUL character.`,
        param: name,
      });
    read[name] = values.length > 1 ? values : typed(property, value);
  }
  return read;
}

function typed(schema: unknown, text: string): unknown {
  const wanted =
    typeof schema === "object" && schema !== null && "type" in schema ? schema.type : undefined;
  if (wanted === "integer" && WHOLE_NUMBER.test(text)) return Number(text);
  if (wanted === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}
