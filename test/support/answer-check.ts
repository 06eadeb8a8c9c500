/** Holds an answer against its schema: nothing may be missing, and nothing be there that is not described. */
import { writeSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { TSchema } from "typebox";
import { Clean } from "typebox/value";
import { createMistakeFinder, type Mistake } from "../../src/contract/find-mistakes.ts";

/** Returns what tells what is wrong with a value as it goes over the wire; null: nothing. */
export function createAnswerCheck(schema: TSchema): (json: unknown) => string | null {
  const mistakesOf = createMistakeFinder(schema);
  return (json) => {
    const mistakes = mistakesOf(json);
    if (mistakes.length > 0) return mistakes.map((mistake: Mistake) => mistake.message).join("; ");
    const known: unknown = Clean(schema, structuredClone(json));
    return isDeepStrictEqual(known, json)
      ? null
      : `it has more than is described: ${undescribed(json, known, "").join(", ")}`;
  };
}

/** Where the two differ. */
function undescribed(json: unknown, known: unknown, path: string): string[] {
  if (isDeepStrictEqual(json, known)) return [];
  if (typeof json !== "object" || json === null || known === undefined) return [path];
  return Object.entries(json).flatMap(([name, value]) =>
    undescribed(value, (known as Readonly<Record<string, unknown>>)[name], `${path}/${name}`),
  );
}

/** Ends the process, so that no test goes on with it. */
export function endByFault(fault: string | null): void {
  if (fault === null) return;
  writeSync(2, `${fault}\n`);
  process.exit(70);
}
