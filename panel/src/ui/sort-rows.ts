/**
 * Sorts the rows of a table in the browser, and says what the next press on a column's heading
 * does.
 */

/** `step` is 1 upwards and -1 downwards. */
export interface Sorting {
  readonly column: string;
  readonly step: 1 | -1;
}

export type SortValue = string | number | bigint;

/** Equal rows keep their order; without a sorting all of them do. */
export function sortRows<Row>(
  rows: readonly Row[],
  sorting: Sorting | null,
  sortBy: ((row: Row) => SortValue) | undefined,
): readonly Row[] {
  if (sorting === null || sortBy === undefined) return rows;
  return rows.toSorted((a, b) => sorting.step * compare(sortBy(a), sortBy(b)));
}

/**
 * Names begin with A, figures with the largest; a second press turns the order round, a third gives
 * the first one back.
 */
export function nextSorting(
  current: Sorting | null,
  column: string,
  sample: SortValue | undefined,
): Sorting | null {
  const first = typeof sample === "string" ? 1 : -1;
  if (current?.column !== column) return { column, step: first };
  return current.step === first ? { column, step: first === 1 ? -1 : 1 } : null;
}

function compare(a: SortValue, b: SortValue): number {
  if (typeof a === "string" && typeof b === "string") return a.localeCompare(b);
  return a < b ? -1 : a > b ? 1 : 0;
}
