/**
 * What was spent day by day, in all or split by key or by model: the bars stand on each other to
 * the sum of the day.
 */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ReactNode } from "react";
import { spendQuery, type SpendFilter, type SpendSplit, type SplitSpend } from "../../api/spend.ts";
import { useFormats, useTexts } from "../../i18n/locale.tsx";
import type { Formats } from "../../i18n/locale.tsx";
import { spendEn } from "../../i18n/texts/spend.en.ts";
import { spendRu } from "../../i18n/texts/spend.ru.ts";
import type { SpendTexts } from "../../i18n/texts/spend.ru.ts";
import { BarChart } from "../charts/bar-chart.tsx";
import { useMoneyAxis } from "../charts/use-money-axis.ts";
import { plotAmount } from "../charts/chart-point.ts";
import type { ChartSeries } from "../charts/chart-point.ts";
import { Card } from "../card.tsx";
import { restOf, sumOf } from "../decimal.ts";
import { Loaded } from "../loaded.tsx";
import { Select } from "../select.tsx";

const TEXTS = { ru: spendRu, en: spendEn };

interface SpendByDayProps {
  readonly filter: SpendFilter;
  /** The choices; one only: there is nothing to choose. */
  readonly splits: readonly SpendSplit[];
  readonly split: SpendSplit;
  onSplit(split: SpendSplit): void;
}

export function SpendByDay({ filter, splits, split, onSplit }: SpendByDayProps): ReactNode {
  const t = useTexts(TEXTS);
  const formats = useFormats();
  const spend = useQuery({ ...spendQuery(filter, split), placeholderData: keepPreviousData });
  const controls =
    splits.length < 2 ? null : (
      <div className="spend-split">
        <Select
          quietLabel
          label={t.split}
          value={split}
          onChange={onSplit}
          options={splits.map((one) => ({ value: one, label: t.splits[one] }))}
        />
      </div>
    );
  return (
    <Card>
      <Loaded query={spend}>
        {(data) => <Picture spend={data} t={t} formats={formats} controls={controls} />}
      </Loaded>
    </Card>
  );
}

interface PictureProps {
  readonly spend: SplitSpend;
  readonly t: SpendTexts;
  readonly formats: Formats;
  readonly controls: ReactNode;
}

function Picture({ spend, t, formats, controls }: PictureProps): ReactNode {
  const series = useMemo(() => seriesOf(spend, t, formats), [spend, t, formats]);
  const axisText = useMoneyAxis();
  const { total, rows } = spend.whole;
  return (
    <>
      <BarChart
        title={t.byDay}
        controls={controls}
        labelHeader={t.day}
        series={series}
        summary={t.summary(formats.count(rows.length), formats.moneyBrief(total.charged, "up"))}
        axisText={axisText}
        {...(spend.by === "none" || spend.parts.length === 0
          ? {}
          : {
              sums: {
                name: t.partOf[spend.by],
                sum: t.spent,
                total: formats.moneyBrief(total.charged, "up"),
              },
            })}
      />
      {total.charged === "0" ? <p className="quiet small">{t.nothing}</p> : null}
    </>
  );
}

function seriesOf(
  { whole, parts, rest }: SplitSpend,
  t: SpendTexts,
  { dayMark, money, moneyBrief }: Formats,
): readonly ChartSeries[] {
  const seriesFor = (key: string, name: string, amounts: readonly string[]): ChartSeries => ({
    key,
    name,
    total: moneyBrief(sumOf(amounts), "up"),
    points: whole.rows.map((row, at) => {
      const amount = amounts[at] ?? "0";
      return {
        ...dayMark(row.day ?? ""),
        value: plotAmount(amount),
        text: moneyBrief(amount, "up"),
        exact: money(amount),
      };
    }),
  });
  const wholes = whole.rows.map(({ charged }) => charged);
  if (parts.length === 0) return [seriesFor("", t.all, wholes)];
  const split = parts.map(({ key, name, days }) =>
    seriesFor(
      key,
      name ?? t.keyGone,
      days.map(({ charged }) => charged),
    ),
  );
  if (!rest) return split;
  const left = wholes.map((amount, at) =>
    restOf(
      amount,
      parts.map(({ days }) => days[at]?.charged ?? "0"),
    ),
  );
  return [...split, seriesFor("rest", t.rest, left)];
}
