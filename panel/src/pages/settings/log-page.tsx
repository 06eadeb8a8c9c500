/** What members changed of the account: who, when, what it was before and what it is. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import type { AccountLogEntry } from "../../../../src/contract/panel/account-log.ts";
import { ACCOUNT_ACTIONS } from "../../../../src/contract/enums/account-action.ts";
import { membersQuery } from "../../api/alerts.ts";
import { usePages } from "../../api/use-pages.ts";
import { useSeeing } from "../../app/session.ts";
import { useFormats, useLocale, useTexts } from "../../i18n/locale.tsx";
import type { Formats } from "../../i18n/locale.tsx";
import { periodOfDays } from "../../i18n/period-of-days.ts";
import { accountLogEn } from "../../i18n/texts/account-log.en.ts";
import { accountLogRu } from "../../i18n/texts/account-log.ru.ts";
import type { AccountLogTexts } from "../../i18n/texts/account-log.ru.ts";
import { useWords } from "../../i18n/use-words.ts";
import { CsvLink } from "../../ui/csv-link.tsx";
import { CursorList } from "../../ui/cursor-list.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { DateField } from "../../ui/date-field.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { RowTime } from "../../ui/time.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import { LogChange } from "./log-change.tsx";
import { SettingsHead } from "./settings-head.tsx";

const TEXTS = { ru: accountLogRu, en: accountLogEn };

export function Component(): ReactNode {
  const t = useTexts(TEXTS);
  const words = useWords();
  const seeing = useSeeing();
  const { timeZone } = useLocale();
  const filters = useFilters({ member: "", action: "", from: "", to: "" });
  const { from, to, ...others } = filters.values;
  const query = { ...others, ...periodOfDays(from, to, timeZone) };
  const pages = usePages("/log", { query });
  const members = useQuery(membersQuery);
  const formats = useFormats();
  const columns = useMemo(() => logColumns(t, formats), [t, formats]);
  return (
    <>
      <SettingsHead
        page="log"
        lead={t.lead}
        actions={
          seeing === null ? (
            <CsvLink path="/log.csv" query={query} name={["log", from, to]}>
              {t.csv}
            </CsvLink>
          ) : null
        }
      />
      <CursorList
        pages={pages}
        filters={filters}
        fields={
          <>
            <FilterSelect
              label={t.who}
              options={(members.data?.data ?? []).map(({ memberId, name, email }) => ({
                value: memberId,
                label: name ?? email,
              }))}
              goneLabel={(id) => id}
              {...filters.of("member")}
            />
            <FilterSelect
              label={t.action}
              options={ACCOUNT_ACTIONS.map((value) => ({ value, label: t.actions[value] }))}
              {...filters.of("action")}
            />
            <DateField label={words.from} {...filters.of("from")} />
            <DateField label={words.to} {...filters.of("to")} />
          </>
        }
        caption={t.caption}
        columns={columns}
        rowKey={({ auditId }) => auditId}
        nothingFound={<EmptyState title={words.nothingFound} text={t.nothingFoundText} />}
        empty={<EmptyState title={t.empty} text={t.emptyText} />}
      />
    </>
  );
}

function logColumns(t: AccountLogTexts, { inZone }: Formats): readonly Column<AccountLogEntry>[] {
  return [
    { id: "at", header: inZone(t.at), cell: ({ at }) => <RowTime iso={at} /> },
    { id: "who", header: t.who, cell: ({ actor }) => <span className="breaks">{actor}</span> },
    {
      id: "action",
      header: t.action,
      cell: ({ action, subject }) => (
        <>
          {t.actions[action]}
          {subject === null ? null : (
            <span className="quiet small settings-second breaks">
              {t.values["kind"]?.[subject] ?? subject}
            </span>
          )}
        </>
      ),
    },
    {
      id: "changes",
      header: t.changes,
      cell: ({ before, after }) => <LogChange before={before} after={after} t={t} />,
    },
  ];
}
