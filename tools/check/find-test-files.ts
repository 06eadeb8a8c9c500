/** Finds every test file, those that take long first, so that they do not run alone at the end. */
import { globSync } from "node:fs";

/** Relative to the root: whole-program tests of test/ first, then the rest. */
export function findTestFiles(root: string): string[] {
  const inside = (folder: string): string[] => globSync(`${folder}/**/*.test.ts`, { cwd: root }).toSorted();
  return ["test", "sandbox", "src", "bench", "panel/src"].flatMap(inside);
}
