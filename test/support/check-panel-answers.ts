/**
 * Holds every answer of the panel's API against the table of its routes, in whatever process
 * imports this: what the table does not say, a field too many among it, ends the process.
 */
import { subscribe } from "node:diagnostics_channel";
import { writeSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { TSchema } from "typebox";
import { Clean } from "typebox/value";
import { createMistakeFinder, type Mistake } from "../../src/contract/find-mistakes.ts";
import { PANEL_ROUTES } from "../../src/contract/panel/routes/panel-routes.ts";

type Name = keyof typeof PANEL_ROUTES;

const checks = new Map<Name, (json: unknown) => string | null>();

/** What is wrong with an answer, as it goes over the wire; null: nothing. */
export function panelAnswerFault(name: Name, json: unknown): string | null {
  let check = checks.get(name);
  if (check === undefined) {
    const line = PANEL_ROUTES[name];
    check = "answer" in line ? createCheck(line.answer) : () => "it answers no JSON";
    checks.set(name, check);
  }
  const fault = check(JSON.parse(JSON.stringify(json)));
  return fault === null ? null : `the answer of ${name} is not the table's: ${fault}`;
}

function createCheck(schema: TSchema): (json: unknown) => string | null {
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

subscribe("tollgate.panel.answer", (message) => {
  const { name, json } = message as { readonly name: Name; readonly json: unknown };
  const fault = panelAnswerFault(name, json);
  if (fault === null) return;
  writeSync(2, `${fault}\n`);
  process.exit(70);
});
