/**
 * Protects: a column's heading sorts by what the rows are, figures by size and never as text, and
 * the third press gives the first order back.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nextSorting, sortRows, type Sorting } from "./sort-rows.ts";

const ROWS = [
  { name: "boat", calls: 9, kopecks: 100n },
  { name: "apple", calls: 10, kopecks: 20n },
  { name: "Ёлка", calls: 9, kopecks: 3n },
];
const names = (rows: readonly { name: string }[]): string[] => rows.map(({ name }) => name);

test("names sort as a reader expects, figures by size, and equal rows keep their order both ways", () => {
  const by = (column: string, step: 1 | -1): Sorting => ({ column, step });
  assert.deepEqual(names(sortRows(ROWS, by("name", 1), ({ name }) => name)), [
    "apple",
    "boat",
    "Ёлка",
  ]);
  assert.deepEqual(names(sortRows(ROWS, by("calls", 1), ({ calls }) => calls)), [
    "boat",
    "Ёлка",
    "apple",
  ]);
  assert.deepEqual(names(sortRows(ROWS, by("calls", -1), ({ calls }) => calls)), [
    "apple",
    "boat",
    "Ёлка",
  ]);
  assert.deepEqual(names(sortRows(ROWS, by("kopecks", -1), ({ kopecks }) => kopecks)), [
    "boat",
    "apple",
    "Ёлка",
  ]);
  assert.deepEqual(sortRows(ROWS, null, undefined), ROWS);
});

test("a heading begins with A or with the largest, turns round, and lets go; another column begins anew", () => {
  const first = nextSorting(null, "calls", 9);
  const second = nextSorting(first, "calls", 9);
  assert.deepEqual(
    [first, second, nextSorting(second, "calls", 9)],
    [{ column: "calls", step: -1 }, { column: "calls", step: 1 }, null],
  );
  assert.deepEqual(nextSorting(second, "name", "boat"), { column: "name", step: 1 });
  assert.deepEqual(nextSorting({ column: "name", step: 1 }, "name", "boat"), {
    column: "name",
    step: -1,
  });
});
