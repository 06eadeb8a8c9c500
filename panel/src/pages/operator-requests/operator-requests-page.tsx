/** The chat requests of all accounts. */
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { ReactNode } from "react";
import { CHAT_STATES } from "../../../../src/contract/enums/chat-state.ts";
import { usePages } from "../../api/use-pages.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { useWords } from "../../i18n/use-words.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { DateField } from "../../ui/date-field.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { useDaySpan } from "../../ui/operator/day-span.ts";
import { AccountFilter } from "../../ui/operator/account-filter.tsx";
import { KeyFilter } from "../../ui/operator/key-filter.tsx";
import { ModelFilter, UpstreamFilter } from "../../ui/operator/route-filters.tsx";
import { requestColumns } from "../../ui/operator/request-columns.tsx";
import { useOperatorTexts } from "../../ui/operator/use-operator-texts.ts";
import { useWorkTexts } from "../../ui/operator/use-work-texts.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { RequestNumber } from "../../ui/request-number.tsx";
import { Select } from "../../ui/select.tsx";
import { useFilters } from "../../ui/use-filters.ts";

export function Component(): ReactNode {
  const t = useWorkTexts();
  const shared = useOperatorTexts();
  const words = useWords();
  const formats = useFormats();
  const navigate = useNavigate();
  const filters = useFilters({
    account: "",
    model: "",
    state: "",
    upstream: "",
    key: "",
    from: "",
    to: "",
  });
  const { rows = [], query } = usePages("/operator/requests", {
    query: {
      ...filters.values,
      ...useDaySpan(filters.values),
    },
  });
  const columns = useMemo(() => requestColumns(shared, formats, true), [shared, formats]);
  return (
    <>
      <PageHead title={t.requestsTitle} lead={t.requestsLead} />
      <FilterBar filters={filters}>
        <RequestNumber
          onRequest={(id) => void navigate({ to: "/operator/requests/$id", params: { id } })}
          onTask={(id) => void navigate({ to: "/operator/tasks/$id", params: { id } })}
        />
        {/* Another account has other keys. */}
        <AccountFilter
          value={filters.values.account}
          onChange={(account) => filters.set({ account, key: "" })}
        />
        <KeyFilter account={filters.values.account} {...filters.of("key")} />
        <ModelFilter kind="chat" {...filters.of("model")} />
        <UpstreamFilter kind="chat" {...filters.of("upstream")} />
        <Select
          label={shared.state}
          options={[
            { value: "", label: words.all },
            ...CHAT_STATES.map((state) => ({ value: state, label: shared.states[state] ?? state })),
          ]}
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
