/** All accounts: found by name, e-mail or id, with their money and state. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { OperatorAccount } from "../../../../src/contract/panel/operator-accounts.ts";
import { usePages } from "../../api/use-pages.ts";
import { useWords } from "../../i18n/use-words.ts";
import type { OperatorAccountsTexts } from "../../i18n/texts/operator-accounts.ru.ts";
import { Badge } from "../../ui/badge.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Money } from "../../ui/money.tsx";
import { AccountLink } from "../../ui/operator/account-link.tsx";
import { FilterText } from "../../ui/filter-text.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Select } from "../../ui/select.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import "./operator-accounts.css";
import { useAccountTexts } from "./use-account-texts.ts";

export function Component(): ReactNode {
  const t = useAccountTexts();
  const words = useWords();
  const filters = useFilters({ search: "", state: "" });
  const { rows = [], query } = usePages("/operator/accounts", { query: filters.values });
  const columns = useMemo(() => accountColumns(t), [t]);
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <FilterBar filters={filters}>
        <FilterText label={t.search} {...filters.of("search")} />
        <Select
          label={t.state}
          options={[
            { value: "", label: words.all },
            { value: "open", label: t.open },
            { value: "blocked", label: t.blocked },
          ]}
          {...filters.of("state")}
        />
      </FilterBar>
      <Loaded query={query}>
        {() => (
          <DataTable
            caption={t.caption}
            columns={columns}
            rows={rows}
            rowKey={({ accountId }) => accountId}
            more={query}
            empty={
              filters.active ? (
                <EmptyState title={t.notFoundTitle} text={t.notFoundText} />
              ) : (
                <EmptyState title={t.emptyTitle} text={t.emptyText} />
              )
            }
          />
        )}
      </Loaded>
    </>
  );
}

function accountColumns(t: OperatorAccountsTexts): readonly Column<OperatorAccount>[] {
  return [
    {
      id: "name",
      header: t.name,
      cell: ({ accountId, name, emails }) => (
        <span className="operator-accounts-name">
          <AccountLink accountId={accountId} name={name} />
          {emails.length === 0 ? null : <span className="quiet small">{emails.join(", ")}</span>}
        </span>
      ),
    },
    {
      id: "balance",
      header: t.balance,
      align: "end",
      cell: ({ balance }) => <Money amount={balance} brief="down" />,
    },
    {
      id: "held",
      header: t.held,
      align: "end",
      cell: ({ held }) => <Money amount={held} brief="up" />,
    },
    {
      id: "spent",
      header: t.spent30Days,
      align: "end",
      cell: ({ spent30Days }) => <Money amount={spent30Days} brief="up" />,
    },
    {
      id: "state",
      header: t.state,
      cell: ({ blocked }) => <AccountState blocked={blocked !== null} />,
    },
  ];
}

function AccountState({ blocked }: { readonly blocked: boolean }): ReactNode {
  const t = useAccountTexts();
  return <Badge tone={blocked ? "bad" : "good"}>{blocked ? t.blocked : t.open}</Badge>;
}
