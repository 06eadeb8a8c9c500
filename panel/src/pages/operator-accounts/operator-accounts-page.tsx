/** All accounts: found by name, e-mail or id, with their money and state. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { OperatorAccount } from "../../../../src/contract/panel/operator-accounts.ts";
import { usePages } from "../../api/use-pages.ts";
import type { OperatorAccountsTexts } from "../../i18n/texts/operator-accounts.ru.ts";
import { CursorList } from "../../ui/cursor-list.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { Money } from "../../ui/money.tsx";
import { AccountLink } from "../../ui/operator/account-link.tsx";
import { FilterText } from "../../ui/filter-text.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Status } from "../../ui/status.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import "./operator-accounts.css";
import { useAccountTexts } from "./use-account-texts.ts";

export function Component(): ReactNode {
  const t = useAccountTexts();
  const filters = useFilters({ search: "", state: "" });
  const pages = usePages("/operator/accounts", { query: filters.values });
  const columns = useMemo(() => accountColumns(t), [t]);
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <CursorList
        pages={pages}
        filters={filters}
        fields={
          <>
            <FilterText label={t.search} {...filters.of("search")} />
            <FilterSelect
              label={t.state}
              options={[
                { value: "open", label: t.open },
                { value: "blocked", label: t.blocked },
              ]}
              {...filters.of("state")}
            />
          </>
        }
        caption={t.caption}
        columns={columns}
        rowKey={({ accountId }) => accountId}
        nothingFound={<EmptyState title={t.notFoundTitle} text={t.notFoundText} />}
        empty={<EmptyState title={t.emptyTitle} text={t.emptyText} />}
      />
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
  return <Status tone={blocked ? "bad" : "good"}>{blocked ? t.blocked : t.open}</Status>;
}
