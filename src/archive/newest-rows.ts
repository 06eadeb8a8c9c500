/**
 * The newest rows of a file that agree with a search, by one of its ascending columns: groups are
 * looked into from the one with the greatest value down, until no other can have a newer row.
 */
import type { ArchiveFile, RowRange } from "./archive-file.ts";
import type { Columns, RowOf } from "./column.ts";
import {
  type Bounds,
  filterOf,
  isWithin,
  mayHave,
  type Ordered,
  type Sought,
} from "./row-bounds.ts";

/** Newest first by `by`. */
export interface RowSearch<Of extends Columns> extends Sought<Of> {
  /** Another ascending column that is bounded; absent: none. */
  readonly besides?: Bounds & { readonly key: keyof Of & string };
  /** Further columns that are one of several; absent: none. */
  readonly among?: { readonly [Key in keyof Of]?: readonly RowOf<Of>[Key][] };
  readonly limit: number;
}

interface Hit {
  readonly value: Ordered;
  /** In the file. */
  readonly row: number;
}

/** Rows of which no more than so many lie between are read together. */
const GAP_ROWS = 512;

export async function newestRows<Of extends Columns>(
  file: ArchiveFile<Of>,
  columns: Of,
  search: RowSearch<Of>,
): Promise<RowOf<Of>[]> {
  const hits = await newestHits(file, columns, search);
  const rows = new Map<number, RowOf<Of>>();
  for (const range of runsOf(
    file.groups,
    hits.map(({ row }) => row),
  )) {
    const read = await file.read(range);
    for (const [nth, row] of read.entries()) rows.set(range.rowStart + nth, row);
  }
  return hits.map(({ row }) => rows.get(row)).filter((row) => row !== undefined);
}

async function newestHits<Of extends Columns>(
  file: ArchiveFile<Of>,
  columns: Of,
  search: RowSearch<Of>,
): Promise<Hit[]> {
  const { by, limit } = search;
  const filter = filterOf(columns, search);
  const groups = file.groups
    .filter((group) => mayHave(group, search))
    .map((group) => ({ group, max: (group.bounds(by)?.max ?? null) as Ordered | null }))
    .toSorted((a, b) => descending(a.max, b.max));
  let hits: Hit[] = [];
  for (const { group, max } of groups) {
    const last = hits.length < limit ? undefined : hits.at(-1);
    if (last !== undefined && max !== null && last.value > max) break;
    for (const range of await file.prune(group, filter))
      hits.push(...(await hitsIn(file, range, search)));
    hits = hits.toSorted((a, b) => descending(a.value, b.value)).slice(0, limit);
  }
  return hits;
}

/** What is not known may be anything, so it comes first. */
function descending(a: Ordered | null, b: Ordered | null): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return a > b ? -1 : 1;
}

type Test = (value: unknown) => boolean;

async function hitsIn<Of extends Columns>(
  file: ArchiveFile<Of>,
  range: RowRange,
  search: RowSearch<Of>,
): Promise<Hit[]> {
  const ordered = (await file.column(range, search.by)) as readonly Ordered[];
  const agree = ordered.map(isWithin(search.within));
  for (const [key, test] of testsOf(search)) {
    if (!agree.includes(true)) return [];
    const found = await file.column(range, key);
    for (const [nth, value] of found.entries()) agree[nth] &&= test(value);
  }
  return ordered.flatMap((value, nth) =>
    agree[nth] === true ? [{ value, row: range.rowStart + nth }] : [],
  );
}

function testsOf<Of extends Columns>({ where, among, besides }: RowSearch<Of>): [string, Test][] {
  const equal = Object.entries(where).map(([key, wanted]): [string, Test] => [
    key,
    (value) => value === wanted,
  ]);
  const lists = (among ?? {}) as Readonly<Record<string, readonly unknown[] | undefined>>;
  const listed = Object.entries(lists).flatMap(([key, values]): [string, Test][] =>
    values === undefined ? [] : [[key, (value) => values.includes(value)]],
  );
  const bounded: [string, Test][] =
    besides === undefined ? [] : [[besides.key, (value) => isWithin(besides)(value as Ordered)]];
  return [...equal, ...listed, ...bounded];
}

/** Ranges, each within one group, that have all these rows and not many others. */
function runsOf(groups: readonly RowRange[], rows: readonly number[]): RowRange[] {
  const runs: { rowStart: number; rowEnd: number }[] = [];
  for (const row of rows.toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    const group = groups.find(({ rowStart, rowEnd }) => rowStart <= row && row < rowEnd);
    const near = last !== undefined && row - last.rowEnd <= GAP_ROWS;
    if (near && group !== undefined && last.rowStart >= group.rowStart) last.rowEnd = row + 1;
    else runs.push({ rowStart: row, rowEnd: row + 1 });
  }
  return runs;
}
