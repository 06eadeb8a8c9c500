/** All accounts: found by name, e-mail, id or tag, sorted, with their money; and as a file. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import { ACCOUNT_SORTS } from "../../../../src/contract/enums/account-sort.ts";
import type { OperatorAccount } from "../../../../src/contract/panel/operator-accounts.ts";
import { usePages } from "../../api/use-pages.ts";
import type { OperatorAccountsTexts } from "../../i18n/texts/operator-accounts.ru.ts";
import { Badge } from "../../ui/badge.tsx";
import { CsvLink } from "../../ui/csv-link.tsx";
import { CursorList } from "../../ui/cursor-list.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { Money } from "../../ui/money.tsx";
import { AccountLink } from "../../ui/operator/account-link.tsx";
import { FilterText } from "../../ui/filter-text.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Select } from "../../ui/select.tsx";
import { Status } from "../../ui/status.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import "./operator-accounts.css";
import { useAccountTexts } from "./use-account-texts.ts";

export function Component(): ReactNode {
  const t = useAccountTexts();
  const filters = useFilters({ search: "", state: "", tag: "", sort: "newest" });
  const pages = usePages("/operator/accounts", { query: filters.values });
  const columns = useMemo(() => accountColumns(t), [t]);
  return (
    <>
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={
          <CsvLink path="/operator/accounts.csv" query={filters.values} name={["accounts"]}>
            {t.csv}
          </CsvLink>
        }
      />
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
            <FilterText label={t.tag} {...filters.of("tag")} />
            <Select
              label={t.sort}
              options={ACCOUNT_SORTS.map((value) => ({ value, label: t.sorts[value] }))}
              {...filters.of("sort")}
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
      cell: ({ accountId, name, emails, tags }) => (
        <span className="operator-accounts-name">
          <AccountLink accountId={accountId} name={name} />
          {emails.length + tags.length === 0 ? null : (
            <span className="operator-accounts-more">
              {emails.length === 0 ? null : <span>{emails.join(", ")}</span>}
              {tags.map((tag) => (
                <Badge key={tag}>{tag}</Badge>
              ))}
            </span>
          )}
        </span>
      ),
    },
    {
      id: "state",
      header: t.state,
      cell: ({ blocked }) => <AccountState blocked={blocked !== null} />,
    },
    {
      id: "seen",
      header: t.lastRequest,
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? (
          <span className="quiet">{t.neverUsed}</span>
        ) : (
          <RelativeTime iso={lastUsedAt} />
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
  ];
}

function AccountState({ blocked }: { readonly blocked: boolean }): ReactNode {
  const t = useAccountTexts();
  return <Status tone={blocked ? "bad" : "good"}>{blocked ? t.blocked : t.open}</Status>;
}
