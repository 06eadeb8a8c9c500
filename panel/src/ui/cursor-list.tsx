/**
 * A list that is read by cursors: its filters, its rows with more at their end, or why there are
 * none; until they are read a placeholder, and the error with another try where they cannot be.
 */
import { useEffect } from "react";
import type { ReactNode } from "react";
import type { Pages } from "../api/use-pages.ts";
import { DataTable } from "./data-table.tsx";
import type { DataTableProps } from "./data-table.tsx";
import { FilterBar } from "./filter-bar.tsx";
import type { FilterBarProps } from "./filter-bar.tsx";
import { Loaded } from "./loaded.tsx";
import { TableSkeleton } from "./skeleton.tsx";

interface CursorListProps<Row> extends Pick<
  DataTableProps<Row>,
  "caption" | "columns" | "rowKey" | "empty" | "current" | "fresh"
> {
  readonly pages: Pages<Row>;
  /** Reads it again so often: while something in it is under way. */
  readonly everyMs?: number | undefined;
  /** Those of the row of filters above; left out, there is no such row. */
  readonly filters?: FilterBarProps["filters"];
  readonly fields?: ReactNode;
  /** Instead of `empty`, where a filter is set. */
  readonly nothingFound?: ReactNode;
  /** Between the filters and the rows. */
  readonly children?: ReactNode;
}

export function CursorList<Row>({
  pages: { rows = [], query },
  everyMs,
  filters,
  fields,
  empty,
  nothingFound,
  children,
  ...table
}: CursorListProps<Row>): ReactNode {
  const { refetch } = query;
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => void refetch(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, refetch]);
  return (
    <>
      {filters === undefined ? null : <FilterBar filters={filters}>{fields}</FilterBar>}
      {children}
      <Loaded query={query} waiting={<TableSkeleton />}>
        {() => (
          <DataTable
            {...table}
            rows={rows}
            more={query}
            empty={filters?.active === true ? nothingFound : empty}
          />
        )}
      </Loaded>
    </>
  );
}
