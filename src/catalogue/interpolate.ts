/** `${NAME}` in a text becomes the value of an environment variable. */

import type { CodedMistake } from "../contract/catalogue/catalogue-mistake.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

type ReferenceProblem = Extract<CodedMistake, { code: "bad_reference" | "variable_not_set" }>;

export type Interpolation =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problems: readonly ReferenceProblem[] };

const REFERENCE = /\$\{([^}]*)\}?/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function isEnvironmentName(text: string): boolean {
  return NAME.test(text);
}

export function hasReference(text: string): boolean {
  return text.includes("${");
}

/**
 * A variable that is not set, or empty, is a problem: an address with a hole in it is worse than
 * none.
 */
export function interpolate(text: string, env: Environment): Interpolation {
  const problems: ReferenceProblem[] = [];
  const replaced = text.replaceAll(REFERENCE, (whole, name: string) => {
    if (!whole.endsWith("}") || !NAME.test(name)) {
      problems.push({ code: "bad_reference", params: { reference: whole } });
      return "";
    }
    const value = env[name]?.trim() ?? "";
    if (value === "") problems.push({ code: "variable_not_set", params: { variable: name } });
    return value;
  });
  return problems.length > 0 ? { ok: false, problems } : { ok: true, text: replaced };
}
