/**
 * One figure, hour by hour or day by day: the parts that have most of it on each other, with what
 * each comes to in the table beside the bars, which is their legend. Of a mean or a share the bars
 * are the whole's, and the table has those of the parts.
 */
import { useMemo } from "react";
import type { ReactNode } from "react";
import { ADDED_FIGURES, USAGE_FIGURES } from "../../../../src/contract/enums/usage-range.ts";
import type { UsageFigure, UsagePartKind } from "../../../../src/contract/enums/usage-range.ts";
import type { Usage, UsagePart } from "../../../../src/contract/panel/usage.ts";
import { useFormats } from "../../i18n/locale.tsx";
import type { OverviewTexts } from "../../i18n/texts/overview.ru.ts";
import { BarChart } from "../../ui/charts/bar-chart.tsx";
import type { ChartSeries } from "../../ui/charts/chart-point.ts";
import { useMoneyAxis } from "../../ui/charts/use-money-axis.ts";
import { sumOf } from "../../ui/decimal.ts";
import { Segments } from "../../ui/segments.tsx";
import { Select } from "../../ui/select.tsx";
import { figureOf, textOf } from "./figure-of.ts";
import { useOverviewTexts } from "./use-overview-texts.ts";

interface UsageChartProps {
  readonly usage: Usage;
  readonly figure: UsageFigure;
  onFigure(figure: UsageFigure): void;
  readonly splits: readonly UsagePartKind[];
  readonly by: UsagePartKind;
  onBy(by: UsagePartKind): void;
}

export function UsageChart(props: UsageChartProps): ReactNode {
  const { usage, by, onBy, figure, onFigure, splits } = props;
  const t = useOverviewTexts();
  const formats = useFormats();
  const moneyAxis = useMoneyAxis();
  const series = useMemo(() => seriesOf(usage, t, formats), [usage, t, formats]);
  const { brief } = textOf(usage.figure, formats);
  const total = figureOf(usage.figure, usage.total);
  const whole = total === null ? "—" : brief(total);
  const title = t.chartTitles[usage.figure][usage.grain];
  const added = isAdded(usage.figure);
  const sums = {
    name: t.partNames[usage.by],
    sum: t.figureNames[usage.figure],
    total: whole,
    ...(added
      ? {}
      : {
          totalName: t.mean,
          rows: usage.parts.map((part, index) => {
            const own = figureOf(usage.figure, part.sums);
            const name = nameOf(usage, part, t);
            return { key: `${index} ${name}`, name, total: own === null ? "—" : brief(own) };
          }),
        }),
  };
  return (
    <>
      <BarChart
        title={title}
        controls={
          <>
            <Select
              label={t.figure}
              quietLabel
              value={figure}
              onChange={onFigure}
              options={USAGE_FIGURES.filter(
                // What is not known of this time is not offered, unless it is what is shown.
                (one) => one === figure || figureOf(one, usage.total) !== null,
              ).map((one) => ({ value: one, label: t.figureNames[one] }))}
            />
            <Segments
              label={t.split}
              value={by}
              onChange={onBy}
              options={splits.map((one) => ({ value: one, label: t.splits[one] }))}
            />
          </>
        }
        labelHeader={t.grains[usage.grain]}
        series={series}
        summary={t.chartSummary[usage.grain](
          title,
          formats.count(usage.points.length),
          added ? t.inAll(whole) : t.onAverage(whole),
        )}
        axisText={usage.figure === "spent" ? moneyAxis : (value) => brief(String(value))}
        sums={sums}
      />
      {total === null || total === "0" ? (
        <p className="quiet small">{usage.figure === "spent" ? t.noSpend : t.noFigure}</p>
      ) : null}
    </>
  );
}

function isAdded(figure: UsageFigure): boolean {
  return ADDED_FIGURES.some((one) => one === figure);
}

function seriesOf(
  usage: Usage,
  t: OverviewTexts,
  formats: ReturnType<typeof useFormats>,
): readonly ChartSeries[] {
  const { parts, rest, others, points, figure, grain } = usage;
  const { brief, exact } = textOf(figure, formats);
  const series = (key: string, name: string, amounts: readonly (string | null)[]): ChartSeries => ({
    key,
    name,
    // What does not add up has no sum.
    total: isAdded(figure) ? brief(sumOf(amounts.map((amount) => amount ?? "0"))) : "",
    points: points.map(({ at, partial }, index) => {
      const amount = amounts[index] ?? null;
      const mark = grain === "hour" ? formats.hourMark(at, partial) : formats.dayMark(at);
      if (amount === null) return { ...mark, value: 0, text: "—" };
      return { ...mark, value: Number(amount), text: brief(amount), exact: exact(amount) };
    }),
  });
  if (parts.length === 0 || !isAdded(figure))
    return [
      series(
        "",
        t.all,
        points.map(({ sums }) => figureOf(figure, sums)),
      ),
    ];
  const split = parts.map((part, index) =>
    series(`${index} ${part.key?.hash ?? ""}`, nameOf(usage, part, t), part.points),
  );
  return others === 0 ? split : [...split, series("rest", t.more(formats.count(others)), rest)];
}

function nameOf(
  { by }: Pick<Usage, "by">,
  { key, member, group, model, kind }: UsagePart,
  t: OverviewTexts,
): string {
  if (kind !== null) return t.kinds[kind];
  if (model !== null) return model === "" ? t.modelGone : model;
  if (by === "member") return member?.name ?? t.keysOfAccount;
  if (by === "group") return group?.name ?? t.noGroup;
  return key?.name ?? t.keyGone;
}
