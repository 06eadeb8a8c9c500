/** The chat requests of all accounts. */
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { ReactNode } from "react";
import { CHAT_STATES } from "../../../../src/contract/enums/chat-state.ts";
import { usePages } from "../../api/use-pages.ts";
import { useFormats, useLocale } from "../../i18n/locale.tsx";
import { periodOfDays } from "../../i18n/period-of-days.ts";
import { useWords } from "../../i18n/use-words.ts";
import { CursorList } from "../../ui/cursor-list.tsx";
import { DateField } from "../../ui/date-field.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { AccountFilter } from "../../ui/operator/account-filter.tsx";
import { KeyFilter } from "../../ui/operator/key-filter.tsx";
import { ModelFilter, UpstreamFilter } from "../../ui/operator/route-filters.tsx";
import { requestColumns } from "../../ui/operator/request-columns.tsx";
import { useOperatorTexts } from "../../ui/operator/use-operator-texts.ts";
import { useWorkTexts } from "../../ui/operator/use-work-texts.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { RequestNumber } from "../../ui/request-number.tsx";
import { useFilters } from "../../ui/use-filters.ts";

export function Component(): ReactNode {
  const t = useWorkTexts();
  const shared = useOperatorTexts();
  const words = useWords();
  const formats = useFormats();
  const { timeZone } = useLocale();
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
  const { from, to, ...others } = filters.values;
  const pages = usePages("/operator/requests", {
    query: { ...others, ...periodOfDays(from, to, timeZone) },
  });
  const columns = useMemo(() => requestColumns(shared, formats, true), [shared, formats]);
  return (
    <>
      <PageHead wide title={t.requestsTitle} lead={t.requestsLead} />
      <CursorList
        pages={pages}
        filters={filters}
        fields={
          <>
            <RequestNumber
              onRequest={(id) => void navigate({ to: "/operator/requests/$id", params: { id } })}
              onTask={(id) => void navigate({ to: "/operator/tasks/$id", params: { id } })}
            />
            {/* Another account has other keys. */}
            <AccountFilter
              value={others.account}
              onChange={(account) => filters.set({ account, key: "" })}
            />
            <KeyFilter account={others.account} {...filters.of("key")} />
            <ModelFilter kind="chat" {...filters.of("model")} />
            <UpstreamFilter kind="chat" {...filters.of("upstream")} />
            <FilterSelect
              label={shared.state}
              options={CHAT_STATES.map((state) => ({
                value: state,
                label: shared.states[state] ?? state,
              }))}
              {...filters.of("state")}
            />
            <div className="filter-days">
              <DateField label={words.from} {...filters.of("from")} />
              <DateField label={words.to} {...filters.of("to")} />
            </div>
          </>
        }
        caption={shared.requestsCaption}
        columns={columns}
        rowKey={({ id }) => id}
        nothingFound={<EmptyState title={words.nothingFound} text={shared.nothingFoundText} />}
        empty={<EmptyState title={shared.noRequests} text={shared.noRequestsText} />}
      />
    </>
  );
}
