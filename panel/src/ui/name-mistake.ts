/**
 * What the browser finds wrong with a control, by the word that the API has for the same mistake.
 */
import type { SchemaMistake } from "../../../src/contract/enums/schema-mistake.ts";

type Finding = Exclude<keyof ValidityState, "valid" | "customError">;

const NAMES: readonly (readonly [Finding, SchemaMistake])[] = [
  ["valueMissing", "required"],
  ["badInput", "type"],
  ["tooShort", "minLength"],
  ["tooLong", "maxLength"],
  ["rangeUnderflow", "minimum"],
  ["rangeOverflow", "maximum"],
  ["typeMismatch", "format"],
  ["patternMismatch", "pattern"],
  ["stepMismatch", "format"],
];

export function nameMistake(found: Readonly<Partial<Record<Finding, boolean>>>): SchemaMistake {
  return NAMES.find(([finding]) => found[finding] === true)?.[1] ?? "format";
}
