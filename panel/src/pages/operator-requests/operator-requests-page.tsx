/** The chat requests of all accounts. */
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { OperatorRequest } from "../../../../src/contract/panel/operator-requests.ts";
import { usePages } from "../../api/use-pages.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { useWords } from "../../i18n/use-words.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { DateField } from "../../ui/date-field.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { useDaySpan } from "../../ui/operator/day-span.ts";
import { ACCOUNT_ID, KEY_HASH } from "../../ui/operator/filter-shapes.ts";
import { FilterText } from "../../ui/filter-text.tsx";
import { requestColumns } from "../../ui/operator/request-columns.tsx";
import { useOperatorTexts } from "../../ui/operator/use-operator-texts.ts";
import { useWorkTexts } from "../../ui/operator/use-work-texts.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { RequestNumber } from "../../ui/request-number.tsx";
import { Select } from "../../ui/select.tsx";
import { useFilters } from "../../ui/use-filters.ts";

const STATES = ["completed", "interrupted", "stopped_by_balance", "client_gone", "failed"];

export function Component(): ReactNode {
  const t = useWorkTexts();
  const shared = useOperatorTexts();
  const words = useWords();
  const formats = useFormats();
  const navigate = useNavigate();
  const filters = useFilters({ account: "", model: "", state: "", upstream: "", key: "", from: "", to: "" });
  const { rows = [], query } = usePages<OperatorRequest>("/operator/requests", { ...filters.values, ...useDaySpan(filters.values) });
  const columns = useMemo(() => requestColumns(shared, formats, true), [shared, formats]);
  return (
    <>
      <PageHead title={t.requestsTitle} lead={t.requestsLead} />
      <FilterBar filters={filters}>
        <RequestNumber
          onRequest={(id) => void navigate({ to: "/operator/requests/$id", params: { id } })}
          onTask={(id) => void navigate({ to: "/operator/tasks/$id", params: { id } })}
        />
        <FilterText label={shared.accountId} shape={{ pattern: ACCOUNT_ID, mistake: shared.wholeId }} {...filters.of("account")} />
        <FilterText label={shared.model} {...filters.of("model")} />
        <FilterText label={shared.upstream} {...filters.of("upstream")} />
        <FilterText label={shared.keyHash} shape={{ pattern: KEY_HASH, mistake: shared.wholeHash }} {...filters.of("key")} />
        <Select
          label={shared.state}
          options={[{ value: "", label: words.all }, ...STATES.map((state) => ({ value: state, label: shared.states[state] ?? state }))]}
          {...filters.of("state")}
        />
        {(["from", "to"] as const).map((name) => (
          <DateField key={name} label={words[name]} {...filters.of(name)} />
        ))}
      </FilterBar>
      <Loaded query={query}>
        {() => (
          <DataTable
            caption={shared.requestsCaption}
            columns={columns}
            rows={rows}
            rowKey={({ id }) => id}
            more={query}
            empty={
              filters.active ? (
                <EmptyState title={words.nothingFound} text={shared.nothingFoundText} />
              ) : (
                <EmptyState title={shared.noRequests} text={shared.noRequestsText} />
              )
            }
          />
        )}
      </Loaded>
    </>
  );
}
