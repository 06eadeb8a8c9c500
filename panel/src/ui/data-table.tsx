/**
 * A table of rows: sortable where its columns say so, more at its end where there is more, and
 * cards on phones and tablets.
 */
import { useMemo, useState } from "react";
import type { CSSProperties, MouseEvent, ReactNode } from "react";
import { useWords } from "../i18n/use-words.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { nextSorting, sortRows, type Sorting, type SortValue } from "./sort-rows.ts";

/** As many columns fit a phone. */
const FEW = 2;

export interface Column<Row> {
  readonly id: string;
  /** Empty over buttons: it is told to screen readers only. */
  readonly header: string;
  cell(row: Row): ReactNode;
  /** Figures stand at the end of their column. */
  readonly align?: "end";
  /** By what to sort, in the browser: only where all rows are there. */
  sortBy?(row: Row): SortValue;
  /** The first thing of a card on phones; by default the first column. */
  readonly leads?: boolean;
  /** Beside it there; by default the last column of figures. */
  readonly comesTo?: boolean;
  /**
   * In percent of the width, where rows have columns: what is longer ends in an ellipsis. Its cells
   * have one element each.
   */
  readonly share?: number;
}

export interface DataTableProps<Row> {
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
  /** The key of the row whose content is open beside the table. */
  readonly current?: string | undefined;
  /** Keys of rows that have come just now. */
  readonly fresh?: ReadonlySet<string> | undefined;
}

/** As `useInfiniteQuery` tells it: the result itself will do. */
export interface LoadMore {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): unknown;
}

export function DataTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
  empty,
  more,
  foot,
  current,
  fresh,
}: DataTableProps<Row>): ReactNode {
  const words = useWords();
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const sortBy = columns.find(({ id }) => id === sorting?.column)?.sortBy;
  const sorted = useMemo(() => sortRows(rows, sorting, sortBy), [rows, sorting, sortBy]);
  const next = more?.hasNextPage === true ? more : null;
  if (rows.length === 0) {
    return (
      <div className="table-box">
        {next === null ? (
          (empty ?? <p className="empty">{words.nothingYet}</p>)
        ) : (
          <p className="empty">{words.nothingSoFar}</p>
        )}
        {next === null ? null : <MoreButton more={next} label={words.lookFurther} />}
      </div>
    );
  }
  const leading = columns.find(({ leads }) => leads === true)?.id ?? columns[0]?.id;
  const sum =
    columns.find(({ comesTo }) => comesTo === true)?.id ??
    columns.findLast(({ align, header }) => align === "end" && header !== "")?.id;
  return (
    <div className={more === undefined ? "table-box" : "table-box table-long"}>
      {/* Wide rows scroll in their own box, by keyboard too. */}
      <div className="table-scroll" tabIndex={0} role="region" aria-label={caption}>
        <table className={columns.length > FEW ? "table" : "table table-plain"}>
          <caption className="unseen">{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <Heading
                  key={column.id}
                  column={column}
                  step={sorting?.column === column.id ? sorting.step : null}
                  onSort={(sample) => setSorting(nextSorting(sorting, column.id, sample))}
                  first={rows[0]}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.map((row) => (
              <tr
                key={rowKey(row)}
                className={fresh?.has(rowKey(row)) === true ? "row-fresh" : undefined}
                aria-current={rowKey(row) === current ? "true" : undefined}
                onClick={followRow}
              >
                {columns.map((column) => (
                  <td
                    key={column.id}
                    className={classOf(column, leading, sum)}
                    style={shareOf(column)}
                    data-label={column.header}
                  >
                    {column.cell(row)}
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

/**
 * Opens what the row is about, for the pointer; by keyboard its link is there. Not where something
 * else is pressed, nor where text is being selected.
 */
function followRow({ target, currentTarget }: MouseEvent<HTMLTableRowElement>): void {
  const link = currentTarget.querySelector<HTMLElement>(".row-link");
  const pressed = (target as Element).closest("a, button, input, label, select, summary");
  if (link === null || pressed !== null || getSelection()?.isCollapsed === false) return;
  link.click();
}

interface HeadingProps<Row> {
  readonly column: Column<Row>;
  /** Null: the rows are not sorted by this column. */
  readonly step: Sorting["step"] | null;
  readonly first: Row | undefined;
  onSort(sample: SortValue | undefined): void;
}

function Heading<Row>({ column, step, first, onSort }: HeadingProps<Row>): ReactNode {
  const words = useWords();
  const { header, align, sortBy } = column;
  return (
    <th
      scope="col"
      className={align === "end" ? "end" : undefined}
      aria-sort={step === null ? undefined : step === 1 ? "ascending" : "descending"}
    >
      {header === "" ? (
        <span className="unseen">{words.actions}</span>
      ) : sortBy === undefined ? (
        header
      ) : (
        <button
          type="button"
          className="table-sort"
          onClick={() => onSort(first === undefined ? undefined : sortBy(first))}
        >
          {header}
          {step === null ? null : <Icon name={step === 1 ? "up" : "down"} size={12} />}
        </button>
      )}
    </th>
  );
}

function MoreButton({
  more,
  label,
}: {
  readonly more: LoadMore;
  readonly label: string;
}): ReactNode {
  return (
    <Button
      className="table-more"
      busy={more.isFetchingNextPage}
      onClick={() => void more.fetchNextPage()}
    >
      {label}
    </Button>
  );
}

function shareOf<Row>({ share }: Column<Row>): CSSProperties | undefined {
  return share === undefined ? undefined : ({ "--share": `${share}%` } as CSSProperties);
}

function classOf<Row>(
  { id, align, share }: Column<Row>,
  leading: string | undefined,
  sum: string | undefined,
): string | undefined {
  const names = [
    align === "end" ? "end" : "",
    id === leading ? "leads" : "",
    id === sum && id !== leading ? "comes-to" : "",
    share === undefined ? "" : "cut",
  ].filter((name) => name !== "");
  return names.length === 0 ? undefined : names.join(" ");
}
