/** Today at a glance: what came in, what fails, and what the operator should look at. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { OperatorOverview } from "../../../../src/contract/panel/operator-overview.ts";
import { useOperatorData } from "../../api/operator.ts";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useFormats } from "../../i18n/locale.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Money } from "../../ui/money.tsx";
import { AccountLink } from "../../ui/operator/account-link.tsx";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";
import { useOperatorTexts } from "../../ui/operator/use-operator-texts.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { Health } from "./health.tsx";
import { RevenueChart } from "./revenue-chart.tsx";
import { Today } from "./today.tsx";

const EVERY_MS = 30_000;

export function Component(): ReactNode {
  const t = useBusinessTexts();
  const query = useOperatorData("/operator/overview", { everyMs: EVERY_MS });
  return (
    <>
      <PageHead title={t.overviewTitle} lead={t.overviewLead} />
      <Loaded query={query}>
        {(overview) => (
          <>
            <Today overview={overview} />
            <Health overview={overview} />
            <RevenueChart />
            <Tops overview={overview} />
          </>
        )}
      </Loaded>
    </>
  );
}

type TopRow = OperatorOverview["topModels"][number] & { readonly accountId?: string };

function Tops({
  overview: { topAccounts, topModels },
}: {
  readonly overview: OperatorOverview;
}): ReactNode {
  const t = useBusinessTexts();
  const shared = useOperatorTexts();
  return (
    <div className="columns">
      <TopTable title={t.topAccounts} header={shared.account} rows={topAccounts} />
      <TopTable title={t.topModels} header={shared.model} rows={topModels} />
    </div>
  );
}

function TopTable({
  title,
  header,
  rows,
}: {
  readonly title: string;
  readonly header: string;
  readonly rows: readonly TopRow[];
}): ReactNode {
  const t = useBusinessTexts();
  const { count } = useFormats();
  const columns = useMemo(
    (): readonly Column<TopRow>[] => [
      {
        id: "name",
        header,
        cell: ({ accountId, name }) =>
          accountId === undefined ? name : <AccountLink accountId={accountId} name={name} />,
      },
      {
        id: "requests",
        header: t.requests,
        align: "end",
        cell: ({ requests }) => <span className="figure">{count(requests)}</span>,
      },
      {
        id: "revenue",
        header: t.revenue,
        align: "end",
        cell: ({ revenue }) => <Money amount={revenue} brief="down" />,
      },
    ],
    [t, header, count],
  );
  return (
    <Card title={title}>
      <DataTable
        caption={title}
        columns={columns}
        rows={rows}
        rowKey={({ accountId, name }) => accountId ?? name}
        empty={<EmptyState title={t.nothingToday} />}
      />
    </Card>
  );
}
