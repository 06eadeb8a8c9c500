/** What was done and what it cost: today, in 7 days and in 30. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { Overview } from "../../../../src/contract/panel/overview.ts";
import type { SpendSums } from "../../../../src/contract/panel/spend.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Money } from "../../ui/money.tsx";
import { useOverviewTexts } from "./use-overview-texts.ts";

const PERIODS = ["today", "last7Days", "last30Days"] as const;

interface Row {
  readonly period: (typeof PERIODS)[number];
  readonly sums: SpendSums;
}

export function Activity({ overview }: { readonly overview: Overview }): ReactNode {
  const t = useOverviewTexts();
  const { count } = useFormats();
  const columns = useMemo((): readonly Column<Row>[] => {
    const figure = (id: "requests" | "tasks" | "errors"): Column<Row> => ({
      id,
      header: t[id],
      align: "end",
      cell: ({ sums }) => <span className="figure">{count(sums[id])}</span>,
    });
    return [
      { id: "period", header: t.period, leads: true, cell: ({ period }) => t[period] },
      {
        id: "spent",
        header: t.spent,
        align: "end",
        cell: ({ sums }) => <Money amount={sums.charged} brief="up" />,
      },
      figure("requests"),
      figure("tasks"),
      figure("errors"),
      {
        id: "tokens",
        header: t.tokensHeader,
        align: "end",
        cell: ({ sums }) => (
          <span className="figure">
            {t.tokensInOut(count(sums.inputTokens), count(sums.outputTokens))}
          </span>
        ),
      },
    ];
  }, [t, count]);
  const rows = PERIODS.map((period) => ({ period, sums: overview[period] }));
  return (
    <Card title={t.activity}>
      <DataTable
        caption={t.activity}
        columns={columns}
        rows={rows}
        rowKey={({ period }) => period}
      />
    </Card>
  );
}
