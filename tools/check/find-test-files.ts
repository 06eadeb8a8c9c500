/**
 * Finds every test file, those that take long first, so that they do not run alone at the end, and
 * those that mostly wait apart.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface TestFiles {
  /** Whole-program tests of test/ first, then the rest. */
  readonly working: readonly string[];
  /**
   * Files that take little of the processor for the time they last, and say so below their opening
   * comment.
   */
  readonly waiting: readonly string[];
}

const SAYS_THAT_IT_WAITS = /^\/\/ Runs beside the others: /m;
const HEAD_CHARACTERS = 1_000;

/** Names are relative to the root. */
export function findTestFiles(root: string): TestFiles {
  const inside = (folder: string): string[] =>
    globSync(`${folder}/**/*.test.ts`, { cwd: root }).toSorted();
  const files = ["test", "sandbox", "packages/*/src", "src", "bench", "panel/src"].flatMap(inside);
  const waits = new Set(files.filter((file) => SAYS_THAT_IT_WAITS.test(headOf(join(root, file)))));
  return { working: files.filter((file) => !waits.has(file)), waiting: [...waits] };
}

function headOf(path: string): string {
  return readFileSync(path, "utf8").slice(0, HEAD_CHARACTERS);
}
