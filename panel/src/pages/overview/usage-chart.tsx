/**
 * What was spent, hour by hour or day by day: the dearest models, keys or kinds on each other, with
 * what each comes to in the table beside the bars, which is their legend.
 */
import { useMemo } from "react";
import type { ReactNode } from "react";
import { USAGE_PARTS } from "../../../../src/contract/enums/usage-range.ts";
import type { UsagePartKind } from "../../../../src/contract/enums/usage-range.ts";
import type { Usage, UsagePart } from "../../../../src/contract/panel/usage.ts";
import { useFormats } from "../../i18n/locale.tsx";
import type { Formats } from "../../i18n/locale.tsx";
import type { OverviewTexts } from "../../i18n/texts/overview.ru.ts";
import { BarChart } from "../../ui/charts/bar-chart.tsx";
import { plotAmount } from "../../ui/charts/chart-point.ts";
import type { ChartSeries } from "../../ui/charts/chart-point.ts";
import { useMoneyAxis } from "../../ui/charts/use-money-axis.ts";
import { sumOf } from "../../ui/decimal.ts";
import { Segments } from "../../ui/segments.tsx";
import { useOverviewTexts } from "./use-overview-texts.ts";

interface UsageChartProps {
  readonly usage: Usage;
  readonly by: UsagePartKind;
  onBy(by: UsagePartKind): void;
}

export function UsageChart({ usage, by, onBy }: UsageChartProps): ReactNode {
  const t = useOverviewTexts();
  const formats = useFormats();
  const axisText = useMoneyAxis();
  const series = useMemo(() => seriesOf(usage, t, formats), [usage, t, formats]);
  const total = formats.moneyBrief(usage.total.charged, "up");
  return (
    <>
      <BarChart
        title={t.spendBy[usage.grain]}
        controls={
          <Segments
            label={t.split}
            value={by}
            onChange={onBy}
            options={USAGE_PARTS.map((one) => ({ value: one, label: t.splits[one] }))}
          />
        }
        labelHeader={t.grains[usage.grain]}
        series={series}
        summary={t.chartSummary[usage.grain](formats.count(usage.points.length), total)}
        axisText={axisText}
        sums={{ name: t.partNames[usage.by], sum: t.figureNames.spent, total }}
      />
      {usage.total.charged === "0" ? <p className="quiet small">{t.noSpend}</p> : null}
    </>
  );
}

function seriesOf(usage: Usage, t: OverviewTexts, formats: Formats): readonly ChartSeries[] {
  const { parts, rest, others, points } = usage;
  const { money, moneyBrief } = formats;
  const series = (key: string, name: string, amounts: readonly string[]): ChartSeries => ({
    key,
    name,
    total: moneyBrief(sumOf(amounts), "up"),
    points: points.map(({ at, partial }, index) => {
      const amount = amounts[index] ?? "0";
      const mark = usage.grain === "hour" ? formats.hourMark(at, partial) : formats.dayMark(at);
      return {
        ...mark,
        value: plotAmount(amount),
        text: moneyBrief(amount, "up"),
        exact: money(amount),
      };
    }),
  });
  if (parts.length === 0)
    return [
      series(
        "",
        t.all,
        points.map(({ sums }) => sums.charged),
      ),
    ];
  const split = parts.map((part, index) =>
    series(`${index} ${part.key?.hash ?? ""}`, nameOf(part, t), part.points),
  );
  return others === 0 ? split : [...split, series("rest", t.more(formats.count(others)), rest)];
}

function nameOf({ key, model, kind }: UsagePart, t: OverviewTexts): string {
  if (kind !== null) return t.kinds[kind];
  if (model !== null) return model === "" ? t.modelGone : model;
  return key?.name ?? t.keyGone;
}
