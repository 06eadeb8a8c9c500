/** Everything that operators did, with what it was before and after. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { AuditList } from "../../../../src/contract/panel/operator-audit.ts";
import { usePages } from "../../api/use-pages.ts";
import { useFormats, useLocale } from "../../i18n/locale.tsx";
import type { Formats } from "../../i18n/locale.tsx";
import { periodOfDays } from "../../i18n/period-of-days.ts";
import { useWords } from "../../i18n/use-words.ts";
import type { OperatorBusinessTexts } from "../../i18n/texts/operator-business.ru.ts";
import type { OperatorTexts } from "../../i18n/texts/operator.ru.ts";
import { CursorList } from "../../ui/cursor-list.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { DateField } from "../../ui/date-field.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { AccountLink } from "../../ui/operator/account-link.tsx";
import { AccountFilter } from "../../ui/operator/account-filter.tsx";
import { ServerActor } from "../../ui/operator/server-actor.tsx";
import { AuditValue } from "../../ui/operator/audit-value.tsx";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";
import { useOperatorTexts } from "../../ui/operator/use-operator-texts.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { RowTime } from "../../ui/time.tsx";
import { TwoLines } from "../../ui/two-lines.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import { ActorFilter } from "./actor-filter.tsx";
import "./operator-audit.css";

type Entry = AuditList["data"][number];

export function Component(): ReactNode {
  const t = useBusinessTexts();
  const shared = useOperatorTexts();
  const words = useWords();
  const { timeZone } = useLocale();
  const filters = useFilters({ account: "", member: "", action: "", from: "", to: "" });
  const { from, to, ...others } = filters.values;
  const pages = usePages("/operator/audit", {
    query: { ...others, ...periodOfDays(from, to, timeZone) },
  });
  const formats = useFormats();
  const columns = useMemo(() => auditColumns(t, shared, formats), [t, shared, formats]);
  return (
    <>
      <PageHead title={t.auditTitle} lead={t.auditLead} />
      <CursorList
        pages={pages}
        filters={filters}
        fields={
          <>
            <AccountFilter {...filters.of("account")} />
            <ActorFilter entries={pages.rows ?? []} {...filters.of("member")} />
            <FilterSelect
              label={t.action}
              options={Object.entries(t.actions).map(([value, label]) => ({ value, label }))}
              {...filters.of("action")}
            />
            <DateField label={words.from} {...filters.of("from")} />
            <DateField label={words.to} {...filters.of("to")} />
          </>
        }
        caption={t.auditCaption}
        columns={columns}
        rowKey={({ auditId }) => auditId}
        nothingFound={<EmptyState title={words.nothingFound} text={shared.nothingFoundText} />}
        empty={<EmptyState title={t.noActions} text={t.noActionsText} />}
      />
    </>
  );
}

function subjectOf({ action, subject, after }: Entry, t: OperatorBusinessTexts): string {
  const version =
    action === "catalogue.apply" ? (after as { readonly version?: unknown } | null)?.version : null;
  return typeof version === "number" ? t.version(String(version)) : (subject ?? "—");
}

function auditColumns(
  t: OperatorBusinessTexts,
  shared: OperatorTexts,
  { inZone }: Formats,
): readonly Column<Entry>[] {
  return [
    { id: "at", header: inZone(t.at), cell: ({ at }) => <RowTime iso={at} /> },
    {
      id: "action",
      header: t.actionAndActor,
      leads: true,
      share: 24,
      cell: ({ memberId, actor, action }) => (
        <TwoLines
          detail={
            memberId === null ? <ServerActor actor={actor} /> : <span title={actor}>{actor}</span>
          }
        >
          {t.actions[action]}
        </TwoLines>
      ),
    },
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
