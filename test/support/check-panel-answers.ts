/**
 * Holds every answer of the panel's API against the table of its routes, in whatever process
 * imports this: what the table does not say, a field too many among it, ends the process.
 */
import { subscribe } from "node:diagnostics_channel";
import { PANEL_ROUTES } from "../../src/contract/panel/routes/panel-routes.ts";
import { createAnswerCheck, endByFault } from "./answer-check.ts";

type Name = keyof typeof PANEL_ROUTES;

const checks = new Map<Name, (json: unknown) => string | null>();

/** What is wrong with an answer, as it goes over the wire; null: nothing. */
export function panelAnswerFault(name: Name, json: unknown): string | null {
  let check = checks.get(name);
  if (check === undefined) {
    const line = PANEL_ROUTES[name];
    check = "answer" in line ? createAnswerCheck(line.answer) : () => "it answers no JSON";
    checks.set(name, check);
  }
  const fault = check(JSON.parse(JSON.stringify(json)));
  return fault === null ? null : `the answer of ${name} is not the table's: ${fault}`;
}

subscribe("tollgate.panel.answer", (message) => {
  const { name, json } = message as { readonly name: Name; readonly json: unknown };
  endByFault(panelAnswerFault(name, json));
});
