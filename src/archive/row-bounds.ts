/** Which groups and pages of a file may have what is sought, by the bounds that are kept of them. */
import type { ParquetQueryFilter } from "hyparquet";
import type { RowGroupBounds } from "./archive-file.ts";
import type { Columns, RowOf } from "./column.ts";

/** What is in order as PostgreSQL has it: ids as texts, and numbers. */
export type Ordered = string | bigint;

/** Null: no such bound. */
export interface Bounds {
  /** None is below it. */
  readonly from: Ordered | null;
  /** All are below it. */
  readonly below: Ordered | null;
}

export interface Sought<Of extends Columns> {
  /** Columns that have one value in all rows that are looked for. */
  readonly where: Partial<RowOf<Of>>;
  /** A column that ascends, nearly, with the rows of an account. */
  readonly by: keyof Of & string;
  readonly within: Bounds;
}

export const isWithin =
  ({ from, below }: Bounds) =>
  (value: Ordered): boolean =>
    (below === null || value < below) && (from === null || value >= from);

/** Whether the bounds of a group leave room for such rows. */
export function mayHave<Of extends Columns>(
  group: RowGroupBounds,
  { where, by, within }: Sought<Of>,
): boolean {
  const meets = (key: string, { from, below }: Bounds): boolean => {
    const bounds = group.bounds(key) as { readonly min: Ordered; readonly max: Ordered } | null;
    if (bounds === null) return true;
    return (from === null || bounds.max >= from) && (below === null || bounds.min <= below);
  };
  return (
    Object.entries(where).every(([key, value]) =>
      meets(key, { from: value as Ordered, below: value as Ordered }),
    ) && meets(by, within)
  );
}

/** The same of its pages. */
export function filterOf<Of extends Columns>(
  columns: Of,
  { where, by, within: { from, below } }: Sought<Of>,
): ParquetQueryFilter {
  const nameOf = (key: string): string => columns[key]?.name ?? key;
  const equal = Object.entries(where).map(([key, value]) => ({
    [nameOf(key)]: { $eq: value as Ordered },
  }));
  const bounds = [
    ...(below === null ? [] : [{ [nameOf(by)]: { $lt: below } }]),
    ...(from === null ? [] : [{ [nameOf(by)]: { $gte: from } }]),
  ];
  return { $and: [...equal, ...bounds] };
}
