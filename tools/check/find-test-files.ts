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
  /** Of both, those that share a process with others: the unit tests, unless one says otherwise. */
  readonly sharing: ReadonlySet<string>;
}

const SAYS_THAT_IT_WAITS = /^\/\/ Runs beside the others: /m;
const SAYS_THAT_IT_SHARES_NONE = /^\/\/ Runs in a process of its own: /m;
/** The tests of the whole program start processes of their own anyway. */
const OF_THE_WHOLE_PROGRAM = /^test\//;
const HEAD_CHARACTERS = 1_000;

/** Names are relative to the root. */
export function findTestFiles(root: string): TestFiles {
  const inside = (folder: string): string[] =>
    globSync(`${folder}/**/*.test.ts`, { cwd: root }).toSorted();
  const files = ["test", "sandbox", "packages/*/src", "src", "bench", "panel/src"].flatMap(inside);
  const heads = new Map(files.map((file) => [file, headOf(join(root, file))]));
  const saying = (words: RegExp): Set<string> =>
    new Set(files.filter((file) => words.test(heads.get(file) ?? "")));
  const waits = saying(SAYS_THAT_IT_WAITS);
  const sharesNone = saying(SAYS_THAT_IT_SHARES_NONE);
  return {
    working: files.filter((file) => !waits.has(file)),
    waiting: [...waits],
    sharing: new Set(
      files.filter((file) => !OF_THE_WHOLE_PROGRAM.test(file) && !sharesNone.has(file)),
    ),
  };
}

function headOf(path: string): string {
  return readFileSync(path, "utf8").slice(0, HEAD_CHARACTERS);
}
