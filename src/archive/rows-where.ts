/** All rows of a file that have some values, a range after the other, for who adds them up. */
import type { ArchiveFile, RowRange } from "./archive-file.ts";
import type { Columns } from "./column.ts";
import { filterOf, mayHave, type Sought } from "./row-bounds.ts";

/**
 * Ranges of rows that follow each other and all have the values of `where`, in which the file must be
 * in order.
 */
export async function* rangesWhere<Of extends Columns>(
  file: ArchiveFile<Of>,
  columns: Of,
  sought: Sought<Of>,
): AsyncGenerator<RowRange> {
  for (const group of file.groups.filter((each) => mayHave(each, sought)))
    for (const range of await file.prune(group, filterOf(columns, sought))) {
      let [first, end] = [0, range.rowEnd - range.rowStart];
      for (const [key, wanted] of Object.entries(sought.where)) {
        const values: readonly unknown[] = await file.column(range, key);
        first = Math.max(first, values.indexOf(wanted));
        end = Math.min(end, values.lastIndexOf(wanted) + 1);
      }
      if (first < end) yield { rowStart: range.rowStart + first, rowEnd: range.rowStart + end };
    }
}
