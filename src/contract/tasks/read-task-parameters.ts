/**
 * Reads the body of a task against its table: every value exactly as the table allows it, defaults
 * filled in, or all mistakes at once.
 */
import { readFields } from "./read-value.ts";
import type { CheckUrl } from "./read-media-url.ts";
import { bodyMistake } from "./say-mistake.ts";
import type { TaskMistake } from "./task-mistake.ts";
import type { TaskParameters, TaskTable } from "./task-table.ts";

export type TaskReading =
  | { readonly ok: true; readonly parameters: TaskParameters }
  /**
   * At least one; in the order of the table, then what the table does not know, then what breaks
   * rules.
   */
  | { readonly ok: false; readonly mistakes: readonly TaskMistake[] };

/** More are not told, so that a body of a megabyte does not become an answer of ten. */
const MOST_MISTAKES = 100;

/**
 * Pure, and quick whatever the body is: nothing is visited that the table does not know. Types are
 * never coerced; null counts as left out, since clients send it for "not set"; so does an empty
 * list where the table does not ask for at least one. `body` is what JSON.parse gave. The result
 * shares nothing with it.
 */
export function readTaskParameters(
  table: TaskTable,
  body: unknown,
  checkUrl: CheckUrl,
): TaskReading {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return { ok: false, mistakes: [bodyMistake("", "body_no_object")] };
  }
  const mistakes: TaskMistake[] = [];
  const report = (mistake: TaskMistake): boolean =>
    mistakes.length < MOST_MISTAKES && mistakes.push(mistake) > 0;
  const read = readFields(table.parameters, body as Readonly<Record<string, unknown>>, "", {
    checkUrl,
    report,
  });
  const parameters = table.complete?.(read.values, read.given) ?? read.values;
  const faulty = new Set(mistakes.map(({ param }) => param.split(/[.[]/, 1)[0] ?? ""));
  for (const rule of table.rules) {
    if (rule.params.some((name) => faulty.has(name)) || !rule.breaks(parameters)) continue;
    report({ param: rule.params[0] ?? "", code: "combination", ...rule.says });
  }
  return mistakes.length === 0 ? { ok: true, parameters } : { ok: false, mistakes };
}
