/**
 * Keeps the results of a whole run in `bench/results`, for programs and for people, under its date.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderResults } from "./render-results.ts";
import type { Results } from "./results.ts";

const FOLDER = join(import.meta.dirname, "results");

/**
 * Returns the name of what it wrote, from the root of the project. A second run of a day gets a
 * number.
 */
export function writeResults(results: Results): string {
  mkdirSync(FOLDER, { recursive: true });
  const date = results.startedAt.slice(0, 10);
  let name = date;
  for (let number = 2; isTaken(name); number++) name = `${date}-${number}`;
  writeFileSync(join(FOLDER, `${name}.json`), resultsAsJson(results));
  writeFileSync(join(FOLDER, `${name}.md`), renderResults(results));
  return `bench/results/${name}.md`;
}

/** Of some runs only what people read is kept. */
function isTaken(name: string): boolean {
  return [".json", ".md"].some((ending) => existsSync(join(FOLDER, name + ending)));
}

export function resultsAsJson(results: Results): string {
  const rounded = (_: string, value: unknown): unknown =>
    typeof value === "number" ? Number(value.toPrecision(6)) : value;
  return `${JSON.stringify(results, rounded, 2)}\n`;
}
