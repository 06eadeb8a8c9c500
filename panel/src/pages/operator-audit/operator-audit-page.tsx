/** Everything that operators did, with what it was before and after. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { AuditList } from "../../../../src/contract/panel/operator-audit.ts";
import { usePages } from "../../api/use-pages.ts";
import { useWords } from "../../i18n/use-words.ts";
import type { OperatorBusinessTexts } from "../../i18n/texts/operator-business.ru.ts";
import type { OperatorTexts } from "../../i18n/texts/operator.ru.ts";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { DateField } from "../../ui/date-field.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { AccountLink } from "../../ui/operator/account-link.tsx";
import { useDaySpan } from "../../ui/operator/day-span.ts";
import { AccountFilter } from "../../ui/operator/account-filter.tsx";
import { ServerActor } from "../../ui/operator/server-actor.tsx";
import { AuditValue } from "../../ui/operator/audit-value.tsx";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";
import { useOperatorTexts } from "../../ui/operator/use-operator-texts.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { Select } from "../../ui/select.tsx";
import { Time } from "../../ui/time.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import { ActorFilter } from "./actor-filter.tsx";
import "./operator-audit.css";

type Entry = AuditList["data"][number];

export function Component(): ReactNode {
  const t = useBusinessTexts();
  const shared = useOperatorTexts();
  const words = useWords();
  const filters = useFilters({ account: "", member: "", action: "", from: "", to: "" });
  const { rows = [], query } = usePages("/operator/audit", {
    query: {
      ...filters.values,
      ...useDaySpan(filters.values),
    },
  });
  const columns = useMemo(() => auditColumns(t, shared), [t, shared]);
  return (
    <>
      <PageHead title={t.auditTitle} lead={t.auditLead} />
      <FilterBar filters={filters}>
        <AccountFilter {...filters.of("account")} />
        <ActorFilter entries={rows} {...filters.of("member")} />
        <Select
          label={t.action}
          options={[
            { value: "", label: words.all },
            ...Object.entries(t.actions).map(([value, label]) => ({ value, label })),
          ]}
          {...filters.of("action")}
        />
        {(["from", "to"] as const).map((name) => (
          <DateField key={name} label={words[name]} {...filters.of(name)} />
        ))}
      </FilterBar>
      <Loaded query={query}>
        {() => (
          <DataTable
            caption={t.auditCaption}
            columns={columns}
            rows={rows}
            rowKey={({ auditId }) => auditId}
            more={query}
            empty={
              filters.active ? (
                <EmptyState title={words.nothingFound} text={shared.nothingFoundText} />
              ) : (
                <EmptyState title={t.noActions} text={t.noActionsText} />
              )
            }
          />
        )}
      </Loaded>
    </>
  );
}

function subjectOf({ action, subject, after }: Entry, t: OperatorBusinessTexts): string {
  const version =
    action === "catalogue.apply" ? (after as { readonly version?: unknown } | null)?.version : null;
  return typeof version === "number" ? t.version(String(version)) : (subject ?? "—");
}

function auditColumns(t: OperatorBusinessTexts, shared: OperatorTexts): readonly Column<Entry>[] {
  return [
    { id: "at", header: t.at, cell: ({ at }) => <Time iso={at} /> },
    {
      id: "actor",
      header: t.actor,
      cell: ({ memberId, actor }) => (
        <span className="breaks">{memberId === null ? <ServerActor actor={actor} /> : actor}</span>
      ),
    },
    { id: "action", header: t.action, cell: ({ action }) => t.actions[action] },
    {
      id: "account",
      header: shared.account,
      cell: ({ accountId, accountName }) =>
        accountId === null ? "—" : <AccountLink accountId={accountId} name={accountName} />,
    },
    {
      id: "subject",
      header: t.subject,
      cell: (entry) => <span className="operator-audit-text">{subjectOf(entry, t)}</span>,
    },
    {
      id: "reason",
      header: shared.reason,
      cell: ({ reason }) =>
        reason === null ? "—" : <span className="operator-audit-text">{reason}</span>,
    },
    {
      id: "changes",
      header: t.changes,
      cell: ({ before, after }) => (
        <div>
          <AuditValue value={before} label={t.was} />
          <AuditValue value={after} label={t.became} />
        </div>
      ),
    },
  ];
}
