/**
 * Every movement of the account's money with the balance after it, by filters that live in the
 * address, and as a file; or the days that they add up to.
 */
import { useMemo } from "react";
import type { ReactNode } from "react";
import { ENTRY_KINDS } from "../../../../src/contract/enums/entry-kind.ts";
import { usePages } from "../../api/use-pages.ts";
import { useSeeing } from "../../app/session.ts";
import { mostPlaces } from "../../i18n/format-money.ts";
import { useFormats, useLocale } from "../../i18n/locale.tsx";
import { periodOfDays } from "../../i18n/period-of-days.ts";
import { CsvLink } from "../../ui/csv-link.tsx";
import { CursorList } from "../../ui/cursor-list.tsx";
import { DateField } from "../../ui/date-field.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { Segments } from "../../ui/segments.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import { LedgerDays } from "./ledger-days.tsx";
import { isNoted, ledgerColumns } from "./ledger-columns.tsx";
import { MonthButtons } from "./month-buttons.tsx";
import { Turnover } from "./turnover.tsx";
import { useBillingTexts } from "./use-billing-texts.ts";

const EVERYTHING = "everything";

const FOLDS = ["entries", "days"] as const;

/** Entry by entry, or folded by day. */
export function Ledger(): ReactNode {
  const t = useBillingTexts();
  const shown = useFilters({ fold: "entries", from: "", to: "", kind: "" });
  const filters = useFilters({ from: "", to: "" });
  const fold = FOLDS.find((one) => one === shown.values.fold) ?? "entries";
  return (
    <div className="stack">
      <Segments
        label={t.fold}
        value={fold}
        onChange={(next) => shown.set({ fold: next })}
        options={FOLDS.map((one) => ({ value: one, label: t.folds[one] }))}
      />
      {fold === "days" ? (
        <LedgerDays
          filters={filters}
          // All of them: a day adds up to every kind.
          onDay={(day) => shown.set({ fold: "entries", from: day, to: day, kind: "" })}
        />
      ) : (
        <Entries />
      )}
    </div>
  );
}

function Entries(): ReactNode {
  const t = useBillingTexts();
  const formats = useFormats();
  const { timeZone } = useLocale();
  const seeing = useSeeing();
  const filters = useFilters({ from: "", to: "", kind: "" });
  const { from, to, kind } = filters.values;
  const period = periodOfDays(from, to, timeZone);
  const asked = { ...period, ...askedKind(kind) };
  const pages = usePages("/ledger", { query: asked });
  const places = mostPlaces(
    (pages.rows ?? []).flatMap(({ change, balanceAfter }) => [change, balanceAfter]),
  );
  const noted = (pages.rows ?? []).some(isNoted);
  const columns = useMemo(
    () => ledgerColumns(t, formats, { places, noted }),
    [t, formats, places, noted],
  );
  return (
    <div className="stack">
      <CursorList
        pages={pages}
        filters={filters}
        fields={
          <>
            <DateField label={t.from} {...filters.of("from")} />
            <DateField label={t.to} {...filters.of("to")} />
            <FilterSelect
              label={t.kind}
              all={t.kindAll}
              options={[
                ...ENTRY_KINDS.map((one) => ({ value: one, label: t.kinds[one] })),
                { value: EVERYTHING, label: t.kindEverything },
              ]}
              {...filters.of("kind")}
            />
            <MonthButtons onChoose={filters.set} />
            {seeing === null ? (
              <CsvLink
                className="billing-csv"
                path="/ledger.csv"
                query={asked}
                name={["ledger", from, to]}
              >
                {t.csv}
              </CsvLink>
            ) : null}
          </>
        }
        caption={t.ledgerCaption}
        columns={columns}
        rowKey={({ entryId }) => entryId}
        nothingFound={<EmptyState title={t.ledgerNothing} text={t.ledgerNothingText} />}
        empty={<EmptyState title={t.ledgerEmpty} text={t.ledgerEmptyText} />}
      >
        {period.from === undefined && period.to === undefined ? null : <Turnover period={period} />}
      </CursorList>
    </div>
  );
}

/** What an address asks for and is none of these is no filter. */
function askedKind(kind: string): { readonly kind?: string; readonly holds?: string } {
  if (kind === EVERYTHING) return { holds: "true" };
  return ENTRY_KINDS.some((one) => one === kind) ? { kind } : {};
}
