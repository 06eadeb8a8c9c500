/** The figures of the margin, row by row, with their sum. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type {
  MarginFigures,
  MarginReport,
} from "../../../../src/contract/panel/operator-margin.ts";
import type { MoneyRounding } from "../../i18n/format-money.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { useWords } from "../../i18n/use-words.ts";
import { plotAmount } from "../../ui/charts/chart-point.ts";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Money } from "../../ui/money.tsx";
import { readAmount } from "../../ui/operator/add-amounts.ts";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";
import { useOperatorTexts } from "../../ui/operator/use-operator-texts.ts";
import { useRowName } from "./use-row-name.ts";

type Row = MarginReport["rows"][number];

export function MarginTable({
  report: { rows, by, total },
}: {
  readonly report: MarginReport;
}): ReactNode {
  const t = useBusinessTexts();
  const shared = useOperatorTexts();
  const words = useWords();
  const { count, moneyBrief, share } = useFormats();
  const nameOf = useRowName(by);
  const header = by === "day" ? t.day : by === "model" ? shared.model : shared.upstream;
  const figures = useMemo((): readonly FigureColumn[] => {
    const amountOf = (amount: string | null, brief: MoneyRounding): ReactNode =>
      amount === null ? (
        <span className="quiet">{t.unknown}</span>
      ) : (
        <Money amount={amount} brief={brief} />
      );
    const all: readonly FigureColumn[] = [
      {
        id: "requests",
        header: t.requests,
        of: ({ requests }) => requests,
        show: ({ requests }) => count(requests),
      },
      {
        id: "revenue",
        header: t.revenue,
        of: ({ revenue }) => heightOf(revenue),
        show: ({ revenue }) => amountOf(revenue, "down"),
      },
      {
        id: "cost",
        header: t.cost,
        of: ({ cost }) => heightOf(cost),
        show: ({ cost }) => amountOf(cost, "up"),
      },
      {
        id: "margin",
        header: t.margin,
        of: ({ margin }) => heightOf(margin),
        show: ({ margin }) => amountOf(margin, "down"),
      },
      {
        id: "share",
        header: t.marginPercent,
        of: (row) => marginShareOf(row) ?? Number.NEGATIVE_INFINITY,
        show: (row) => {
          const own = marginShareOf(row);
          return own === null ? "—" : share(own);
        },
      },
      {
        id: "unknown",
        header: t.unknownCost,
        of: ({ unknownCostRevenue }) => heightOf(unknownCostRevenue),
        show: ({ unknownCostRequests, unknownCostRevenue }) =>
          unknownCostRequests === 0
            ? "—"
            : t.unknownOf(count(unknownCostRequests), moneyBrief(unknownCostRevenue, "down")),
      },
      {
        id: "loss",
        header: t.loss,
        of: ({ loss }) => heightOf(loss),
        show: ({ loss }) => amountOf(loss, "up"),
      },
    ];
    return all.filter(({ id }) => id !== "unknown" || total.unknownCostRequests > 0);
  }, [t, count, moneyBrief, share, total.unknownCostRequests]);
  const columns = useMemo(
    (): readonly Column<Row>[] => [
      { id: "name", header, cell: ({ name }) => nameOf(name), sortBy: ({ name }) => name ?? "" },
      ...figures.map(({ id, header: over, of, show }): Column<Row> => ({
        id,
        header: over,
        align: "end",
        comesTo: id === "margin",
        sortBy: of,
        cell: (row) => <span className="figure">{show(row)}</span>,
      })),
    ],
    [header, figures, nameOf],
  );
  return (
    <DataTable
      caption={t.marginCaption}
      columns={columns}
      rows={rows}
      rowKey={({ name }) => name ?? ""}
      foot={
        <tr>
          <th scope="row">{words.total}</th>
          {figures.map(({ id, header: over, show }) => (
            <td key={id} className="end figure" data-label={over}>
              {show(total)}
            </td>
          ))}
        </tr>
      }
    />
  );
}

/** Of the revenue; null: there was none, or its cost is not known. */
function marginShareOf({ revenue, margin }: MarginFigures): number | null {
  const of = plotAmount(revenue);
  return margin === null || of <= 0 ? null : plotAmount(margin) / of;
}

interface FigureColumn {
  readonly id: string;
  readonly header: string;
  of(figures: MarginFigures): number | bigint;
  show(figures: MarginFigures): ReactNode;
}

/** Unknown stands below everything. */
function heightOf(amount: string | null): bigint {
  return amount === null ? -(10n ** 30n) : (readAmount(amount) ?? 0n);
}
