/** Revenue and margin over the days; days without anything lie at zero. */
import type { ReactNode } from "react";
import type { MarginReport } from "../../../../src/contract/panel/operator-margin.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { plotAmount } from "../../ui/charts/chart-point.ts";
import { LineChart } from "../../ui/charts/line-chart.tsx";
import { useMoneyAxis } from "../../ui/charts/use-money-axis.ts";
import { daysBetween } from "../../ui/operator/days-back.ts";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";

export function DayChart({
  report: { rows, from, to },
}: {
  readonly report: MarginReport;
}): ReactNode {
  const t = useBusinessTexts();
  const { dayMark, moneyBrief } = useFormats();
  const axisText = useMoneyAxis();
  const byDay = new Map(rows.map((row) => [row.name, row]));
  const pointsOf = (figure: "revenue" | "margin") =>
    daysBetween(from, to).map((key) => {
      const row = byDay.get(key);
      const amount = row === undefined ? "0" : row[figure];
      return {
        ...dayMark(key),
        value: plotAmount(amount ?? "0"),
        text: amount === null ? t.unknown : moneyBrief(amount, "down"),
      };
    });
  return (
    <LineChart
      title={t.marginSummary}
      summary={t.marginSummary}
      labelHeader={t.day}
      axisText={axisText}
      series={[
        { key: "revenue", name: t.revenue, points: pointsOf("revenue") },
        { key: "margin", name: t.margin, points: pointsOf("margin") },
      ]}
    />
  );
}
