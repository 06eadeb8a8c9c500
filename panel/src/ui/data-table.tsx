/** A table of rows: sortable where its columns say so, more at its end where there is more, and cards on phones and tablets. */
import { createSortedRowModel, rowSortingFeature, tableFeatures, useTable } from "@tanstack/react-table";
import type { ColumnDef, RowData } from "@tanstack/react-table";
import { useMemo } from "react";
import type { ReactNode } from "react";
import { useWords } from "../i18n/use-words.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

export interface Column<Row extends RowData> {
  readonly id: string;
  /** Empty over buttons: it is told to screen readers only. */
  readonly header: string;
  cell(row: Row): ReactNode;
  /** Figures stand at the end of their column. */
  readonly align?: "end";
  /** By what to sort, in the browser: only where all rows are there. */
  sortBy?(row: Row): string | number | bigint;
  /** The first thing of a card on phones; by default the first column. */
  readonly leads?: boolean;
}

interface DataTableProps<Row extends RowData> {
  /** For screen readers: what these rows are. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  rowKey(row: Row): string;
  /** Instead of rows, where there are none. */
  readonly empty?: ReactNode;
  readonly more?: LoadMore;
  /** Below the last row: sums. */
  readonly foot?: ReactNode;
}

/** As `useInfiniteQuery` tells it: the result itself will do. */
export interface LoadMore {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): unknown;
}

const FEATURES = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });

export function DataTable<Row extends RowData>({ caption, columns, rows, rowKey, empty, more, foot }: DataTableProps<Row>): ReactNode {
  const words = useWords();
  const definitions = useMemo(
    () =>
      columns.map(({ id, sortBy }): ColumnDef<typeof FEATURES, Row> => ({
        id,
        accessorFn: (row) => sortBy?.(row),
        enableSorting: sortBy !== undefined,
        sortFn: (a, b, column) => compare(a.getValue(column), b.getValue(column)),
      })),
    [columns],
  );
  const table = useTable({ features: FEATURES, columns: definitions, data: rows, getRowId: rowKey });
  const next = more?.hasNextPage === true ? more : null;
  if (rows.length === 0) {
    return (
      <div className="table-box">
        {next === null ? (empty ?? <p className="empty">{words.nothingYet}</p>) : <p className="empty">{words.nothingSoFar}</p>}
        {next === null ? null : <MoreButton more={next} label={words.lookFurther} />}
      </div>
    );
  }
  const leading = columns.find(({ leads }) => leads === true)?.id ?? columns[0]?.id;
  return (
    <div className="table-box">
      {/* Wide rows scroll in their own box, by keyboard too. */}
      <div className="table-scroll" tabIndex={0} role="region" aria-label={caption}>
        <table className="table">
          <caption className="unseen">{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => {
                const state = table.getColumn(column.id);
                const sorted = state?.getIsSorted() ?? false;
                return (
                  <th
                    key={column.id}
                    scope="col"
                    className={column.align === "end" ? "end" : undefined}
                    aria-sort={sorted === false ? undefined : sorted === "asc" ? "ascending" : "descending"}
                  >
                    {column.header === "" ? (
                      <span className="unseen">{words.actions}</span>
                    ) : column.sortBy === undefined ? (
                      column.header
                    ) : (
                      <button type="button" className="table-sort" onClick={() => state?.toggleSorting()}>
                        {column.header}
                        {sorted === false ? null : <Icon name={sorted === "asc" ? "up" : "down"} size={12} />}
                      </button>
                    )}
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {table.getRowModel().rows.map(({ id, original }) => (
              <tr key={id}>
                {columns.map((column) => (
                  <td key={column.id} className={classOf(column, leading)} data-label={column.header}>
                    {column.cell(original)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          {foot === undefined ? null : <tfoot>{foot}</tfoot>}
        </table>
      </div>
      {next === null ? null : <MoreButton more={next} label={words.loadMore} />}
    </div>
  );
}

function MoreButton({ more, label }: { readonly more: LoadMore; readonly label: string }): ReactNode {
  return (
    <Button className="table-more" busy={more.isFetchingNextPage} onClick={() => void more.fetchNextPage()}>
      {label}
    </Button>
  );
}

function classOf<Row extends RowData>({ id, align }: Column<Row>, leading: string | undefined): string | undefined {
  const names = [align === "end" ? "end" : "", id === leading ? "leads" : ""].filter((name) => name !== "");
  return names.length === 0 ? undefined : names.join(" ");
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return a.localeCompare(b);
  if ((typeof a === "number" || typeof a === "bigint") && (typeof b === "number" || typeof b === "bigint"))
    return a < b ? -1 : a > b ? 1 : 0;
  return 0;
}
