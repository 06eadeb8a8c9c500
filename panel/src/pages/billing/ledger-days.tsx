/**
 * The ledger folded by day: what came in, what was spent, what was left. A day leads to its
 * entries.
 */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { LedgerDay } from "../../../../src/contract/panel/ledger-days.ts";
import { readApi } from "../../api/call-api.ts";
import { usePages } from "../../api/use-pages.ts";
import { useFormats } from "../../i18n/locale.tsx";
import type { Formats } from "../../i18n/locale.tsx";
import type { BillingTexts } from "../../i18n/texts/billing.ru.ts";
import { CursorList } from "../../ui/cursor-list.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { DateField } from "../../ui/date-field.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Money } from "../../ui/money.tsx";
import type { Filters } from "../../ui/use-filters.ts";
import { MonthButtons } from "./month-buttons.tsx";
import { useBillingTexts } from "./use-billing-texts.ts";

/** Through which day the books are archived: of the whole ledger, not of a page of it. */
const archiveQuery = queryOptions({
  queryKey: ["ledger", "archive"],
  queryFn: ({ signal }) => readApi("/ledger/days", { query: { limit: 1 }, signal }),
});

interface LedgerDaysProps {
  readonly filters: Filters<"from" | "to">;
  /** YYYY-MM-DD. */
  onDay(day: string): void;
}

export function LedgerDays({ filters, onDay }: LedgerDaysProps): ReactNode {
  const t = useBillingTexts();
  const formats = useFormats();
  const pages = usePages("/ledger/days", { query: filters.values });
  const archive = useQuery(archiveQuery);
  const archived = archive.data?.archivedThrough ?? null;
  const columns = useMemo(() => dayColumns(t, formats, onDay), [t, formats, onDay]);
  return (
    <>
      <CursorList
        pages={pages}
        filters={filters}
        fields={
          <>
            <DateField label={t.from} {...filters.of("from")} />
            <DateField label={t.to} {...filters.of("to")} />
            <MonthButtons onChoose={filters.set} />
          </>
        }
        caption={t.daysCaption}
        columns={columns}
        rowKey={({ day }) => day}
        nothingFound={<EmptyState title={t.ledgerNothing} text={t.ledgerNothingText} />}
        empty={<EmptyState title={t.ledgerEmpty} text={t.ledgerEmptyText} />}
      >
        <p className="quiet small">
          {t.daysNote}
          {archived === null ? null : ` ${t.daysArchived(formats.dayMark(archived).label)}`}
        </p>
      </CursorList>
    </>
  );
}

function dayColumns(
  t: BillingTexts,
  { dayMark, count }: Formats,
  onDay: (day: string) => void,
): readonly Column<LedgerDay>[] {
  const sum = (
    id: "credited" | "charged" | "closing",
    rounding: "up" | "down",
  ): Column<LedgerDay> => ({
    id,
    header: t.dayHeads[id],
    align: "end",
    cell: (row) => <Money amount={row[id]} brief={rounding} />,
  });
  return [
    {
      id: "day",
      header: t.dayHeads.day,
      leads: true,
      cell: ({ day }) => (
        <button
          type="button"
          className="billing-day row-link"
          title={day}
          onClick={() => onDay(day)}
        >
          {dayMark(day).label}
        </button>
      ),
    },
    {
      id: "requests",
      header: t.dayHeads.requests,
      align: "end",
      cell: ({ requests }) => <span className="figure">{count(requests)}</span>,
    },
    sum("credited", "down"),
    sum("charged", "up"),
    sum("closing", "down"),
  ];
}
