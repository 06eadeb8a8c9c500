/** What came in on each of the last thirty days. */
import { useState } from "react";
import type { ReactNode } from "react";
import { useOperatorData } from "../../api/operator.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { BarChart } from "../../ui/charts/bar-chart.tsx";
import { plotAmount } from "../../ui/charts/chart-point.ts";
import { useMoneyAxis } from "../../ui/charts/use-money-axis.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { daysBack, daysBetween } from "../../ui/operator/days-back.ts";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";
import { Skeleton } from "../../ui/skeleton.tsx";

const DAYS = 30;
const HEIGHT = 260;

export function RevenueChart(): ReactNode {
  const t = useBusinessTexts();
  const { dayMark, moneyBrief } = useFormats();
  const axisText = useMoneyAxis();
  const [{ from, to }] = useState(() => ({ from: daysBack(DAYS - 1), to: daysBack(0) }));
  const query = useOperatorData("/operator/margin", { query: { from, to, by: "day" } });
  return (
    <Card>
      <Loaded query={query} waiting={<Skeleton height={HEIGHT} />}>
        {({ rows, total }) => {
          const revenues = new Map(rows.map(({ name, revenue }) => [name, revenue]));
          const points = daysBetween(from, to).map((key) => {
            const revenue = revenues.get(key) ?? "0";
            return {
              ...dayMark(key),
              value: plotAmount(revenue),
              text: moneyBrief(revenue, "down"),
            };
          });
          return (
            <BarChart
              title={t.revenueByDay}
              summary={t.revenueSummary(moneyBrief(total.revenue, "down"))}
              labelHeader={t.day}
              axisText={axisText}
              series={[{ key: "revenue", name: t.revenue, points }]}
            />
          );
        }}
      </Loaded>
    </Card>
  );
}
