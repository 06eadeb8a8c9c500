/**
 * What was used, in one strip: each figure with where it goes and how it stands against the same
 * length of time before. A figure that is not known is left out.
 */
import type { ReactNode } from "react";
import type { Usage, UsageSums } from "../../../../src/contract/panel/usage.ts";
import { useFormats } from "../../i18n/locale.tsx";
import type { Formats } from "../../i18n/locale.tsx";
import type { OverviewTexts } from "../../i18n/texts/overview.ru.ts";
import { plotAmount } from "../../ui/charts/chart-point.ts";
import { SPARK_POINTS_LEAST } from "../../ui/charts/sparkline-path.ts";
import { Sparkline } from "../../ui/charts/sparkline.tsx";
import { Money } from "../../ui/money.tsx";
import { Stepped } from "../../ui/stepped.tsx";
import { areErrorsBad, cacheShare, changeOf, differenceOf, errorShare } from "./trend.ts";
import { useOverviewTexts } from "./use-overview-texts.ts";

interface Figure {
  readonly id: string;
  readonly label: string;
  readonly value: ReactNode;
  /** Every digit of it, under the pointer. */
  readonly exact?: string;
  readonly trend: string | null;
  readonly notes?: readonly string[];
  readonly series: readonly number[];
  readonly bad?: boolean;
}

export function FigureStrip({ usage }: { readonly usage: Usage }): ReactNode {
  const t = useOverviewTexts();
  const formats = useFormats();
  return (
    <section aria-label={t.figures}>
      <dl className="figure-strip overview-strip">
        {figuresOf(usage, t, formats).map(
          ({ id, label, value, exact, trend, notes = [], series, bad }) => (
            <div key={id} className="stat">
              <dt>{label}</dt>
              <dd className="stat-value figure" title={exact}>
                {typeof value === "string" ? <Stepped text={value} /> : value}
              </dd>
              <dd className="stat-note">
                {trend === null ? null : (
                  <span className="overview-trend" title={t.comparedHint}>
                    {trend}
                  </span>
                )}
                {notes.map((note) => (
                  <span key={note}>{note}</span>
                ))}
              </dd>
              {series.length < SPARK_POINTS_LEAST ? null : (
                <dd className="overview-spark">
                  <Sparkline values={series} bad={bad === true} />
                </dd>
              )}
            </div>
          ),
        )}
      </dl>
    </section>
  );
}

function figuresOf(
  { total, compared, lead, points }: Usage,
  t: OverviewTexts,
  { count, countBrief, change, points: inPoints, share, duration }: Formats,
): Figure[] {
  // A running hour or day would end every line with a fall.
  const over = [...lead, ...points].filter(({ partial }) => !partial).map(({ sums }) => sums);
  const seriesOf = (figure: (sums: UsageSums) => number | null): number[] =>
    // An hour without a request had no latency, and not one of 0.
    over.flatMap((sums) => figure(sums) ?? []);
  const trendOf = (figure: (sums: UsageSums) => number | null): string | null => {
    const now = compared === null ? null : figure(compared.now);
    const moved = changeOf(now, compared === null ? null : figure(compared.before));
    return moved === null ? null : change(moved);
  };
  const shareTrendOf = (figure: (sums: UsageSums) => number | null): string | null => {
    if (compared === null) return null;
    const moved = differenceOf(figure(compared.now), figure(compared.before));
    return moved === null ? null : t.shareTrend(inPoints(moved));
  };
  const figure = (
    id: keyof OverviewTexts["figureNames"],
    of: (sums: UsageSums) => number | null,
    write: (value: number) => string,
  ): Figure[] => {
    const value = of(total);
    if (value === null) return [];
    return [
      {
        id,
        label: t.figureNames[id],
        value: write(value),
        trend: trendOf(of),
        series: seriesOf(of),
      },
    ];
  };
  // One place in the strip: what was streamed is felt by its first word.
  const latencyFigures = (): Figure[] => {
    const whole = figure("duration", ({ durationMs }) => durationMs, duration);
    const [first] = figure("firstToken", ({ timeToFirstTokenMs }) => timeToFirstTokenMs, duration);
    if (first === undefined) return whole;
    const { durationMs } = total;
    return [
      {
        ...first,
        ...(durationMs === null ? {} : { notes: [t.wholeAnswer(duration(durationMs))] }),
      },
    ];
  };
  const all = (sums: UsageSums): number => sums.requests + sums.tasks;
  const tokens = (sums: UsageSums): number => sums.inputTokens + sums.outputTokens;
  const charged = (sums: UsageSums): number => plotAmount(sums.charged);
  const failed = errorShare(total);
  const cached = cacheShare(total);
  return [
    {
      id: "spent",
      label: t.figureNames.spent,
      value: <Money amount={total.charged} brief="up" />,
      trend: trendOf(charged),
      series: seriesOf(charged),
    },
    ...figure("requests", all, countBrief).map((one) => ({
      ...one,
      exact: count(all(total)),
      ...(total.tasks === 0 ? {} : { notes: [t.tasksAmong(total.tasks, count(total.tasks))] }),
    })),
    ...figure("tokens", tokens, countBrief).map((one) => ({
      ...one,
      exact: count(tokens(total)),
      notes: [
        t.tokensIn(countBrief(total.inputTokens)),
        t.tokensOut(countBrief(total.outputTokens)),
      ],
    })),
    {
      id: "errors",
      label: t.figureNames.errors,
      value: failed === null ? "—" : share(failed),
      exact: count(total.errors),
      trend: shareTrendOf(errorShare),
      ...(total.errors === 0 ? {} : { notes: [t.errorsFree] }),
      series: seriesOf(errorShare),
      bad: compared !== null && areErrorsBad(errorShare(compared.now), errorShare(compared.before)),
    },
    ...latencyFigures(),
    ...(cached === null
      ? []
      : [
          {
            id: "cache",
            label: t.figureNames.cache,
            value: share(cached),
            trend: shareTrendOf(cacheShare),
            series: seriesOf(cacheShare),
          },
        ]),
  ];
}
