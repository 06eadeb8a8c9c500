/** Who and what brought most today. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { OperatorOverview } from "../../../../src/contract/panel/operator-overview.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { plotAmount } from "../../ui/charts/chart-point.ts";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Money } from "../../ui/money.tsx";
import { AccountLink } from "../../ui/operator/account-link.tsx";
import { changeOf, signed } from "../../ui/operator/change-of.ts";
import { marginShare } from "./margin-share.ts";
import { useMorningTexts } from "./use-morning-texts.ts";

type TopModel = OperatorOverview["topModels"][number];
type TopAccount = OperatorOverview["topAccounts"][number];

export function Tops({
  overview: { topAccounts, topModels, compared },
}: {
  readonly overview: OperatorOverview;
}): ReactNode {
  const t = useMorningTexts();
  const { share } = useFormats();
  const models = useMemo(
    (): readonly Column<TopModel>[] => [
      {
        id: "name",
        header: t.model,
        share: 50,
        cell: ({ name }) => <span title={name}>{name}</span>,
      },
      {
        id: "revenue",
        header: t.revenue,
        align: "end",
        comesTo: true,
        cell: ({ revenue }) => <Money amount={revenue} brief="down" />,
      },
      {
        id: "margin",
        header: t.margin,
        align: "end",
        cell: ({ margin }) =>
          margin === null ? (
            <span className="quiet">{t.unknown}</span>
          ) : (
            <span className={plotAmount(margin) < 0 ? "morning-falls" : undefined}>
              <Money amount={margin} brief="down" />
            </span>
          ),
      },
      {
        id: "share",
        header: t.marginShare,
        align: "end",
        cell: (day) => {
          const made = marginShare(day);
          return made === null ? (
            "—"
          ) : (
            <span className={made < 0 ? "morning-falls figure" : "figure"}>{share(made)}</span>
          );
        },
      },
    ],
    [t, share],
  );
  const accounts = useMemo(
    (): readonly Column<TopAccount>[] => [
      {
        id: "name",
        header: t.account,
        share: 40,
        cell: ({ accountId, name }) => <AccountLink accountId={accountId} name={name} />,
      },
      {
        id: "revenue",
        header: t.revenue,
        align: "end",
        comesTo: true,
        cell: ({ revenue }) => <Money amount={revenue} brief="down" />,
      },
      {
        id: "change",
        header: t.vsYesterday,
        align: "end",
        cell: ({ sameHours: { today, yesterday } }) => {
          const change =
            compared === null ? null : changeOf(plotAmount(today), plotAmount(yesterday));
          return <span className="figure">{change === null ? "—" : signed(change, share)}</span>;
        },
      },
      {
        id: "available",
        header: t.available,
        align: "end",
        cell: ({ available }) => <Money amount={available} brief="down" />,
      },
    ],
    [t, share, compared],
  );
  const empty = <EmptyState title={t.nothingToday} />;
  return (
    <div className="columns">
      <Card
        title={t.topModels}
        actions={
          <ButtonLink small look="ghost" to="/operator/margin">
            {t.toMargin}
          </ButtonLink>
        }
      >
        <DataTable
          caption={t.topModels}
          columns={models}
          rows={topModels}
          rowKey={({ name }) => name}
          empty={empty}
        />
      </Card>
      <Card
        title={t.topAccounts}
        actions={
          <ButtonLink small look="ghost" to="/operator/accounts" search={{ sort: "spent" }}>
            {t.allAccounts}
          </ButtonLink>
        }
      >
        <DataTable
          caption={t.topAccounts}
          columns={accounts}
          rows={topAccounts}
          rowKey={({ accountId }) => accountId}
          empty={empty}
        />
      </Card>
    </div>
  );
}
