/**
 * What of the revenue went where, step by step down to the margin; every bar stands on one scale,
 * and its figure beside it.
 */
import type { ReactNode } from "react";
import type {
  DayFigures,
  OperatorOverview,
} from "../../../../src/contract/panel/operator-overview.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { plotAmount } from "../../ui/charts/chart-point.ts";
import { Money } from "../../ui/money.tsx";
import { marginShare } from "./margin-share.ts";
import { useChanges } from "./use-changes.ts";
import { useMorningTexts } from "./use-morning-texts.ts";
import { waterfallSteps, type WaterfallStep } from "./waterfall-steps.ts";

export function Waterfall({ overview }: { readonly overview: OperatorOverview }): ReactNode {
  const t = useMorningTexts();
  const changes = useChanges();
  const { today, compared } = overview;
  const { steps, lowest, highest } = waterfallSteps(today);
  const at = (value: number): number => ((value - lowest) / (highest - lowest)) * 100;
  return (
    <Card title={t.marginMade} actions={<MarginShare overview={overview} />}>
      {today.cost === null ? <p className="quiet">{t.noCost}</p> : null}
      <ul className="morning-steps" aria-label={t.waterfall}>
        {compared === null ? null : (
          <li className="morning-steps-head" aria-hidden="true">
            <span>{t.vsYesterday}</span>
            <span className="morning-week">{t.vsWeek}</span>
          </li>
        )}
        {steps.map(({ name, amount, from, to, minus }) => {
          const { yesterday, weekAgo } = changes.of(compared, (day) => figureOf(day, name));
          return (
            <li key={name}>
              <span>{t[name]}</span>
              <span className="morning-track" aria-hidden="true">
                <span
                  className={`morning-bar morning-bar-${toneOf(name, amount)}`}
                  style={{
                    insetInlineStart: `${at(Math.min(from, to))}%`,
                    width: `${Math.abs(at(to) - at(from))}%`,
                  }}
                />
              </span>
              <span className="morning-sum nowrap">
                {minus && plotAmount(amount) > 0 ? "−" : ""}
                <Money amount={amount} brief={minus ? "up" : "down"} />
              </span>
              {compared === null ? null : (
                <>
                  <Change written={yesterday} whole={t.toYesterday} />
                  <Change written={weekAgo} whole={t.toWeek} className="morning-week" />
                </>
              )}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

interface ChangeProps {
  /** Null: nothing to compare with. */
  readonly written: string | null;
  whole(change: string): string;
  readonly className?: string;
}

/** What it is compared with stands in the head, for who sees it. */
function Change({ written, whole, className = "" }: ChangeProps): ReactNode {
  return (
    <span className={`morning-change figure ${className}`.trim()}>
      <span aria-hidden="true">{written ?? "—"}</span>
      {written === null ? null : <span className="unseen">{whole(written)}</span>}
    </span>
  );
}

function figureOf(day: DayFigures, name: WaterfallStep["name"]): number | null {
  const amount = name === "unknownCost" ? day.unknownCostRevenue : day[name];
  return amount === null ? null : plotAmount(amount);
}

function toneOf(name: WaterfallStep["name"], amount: string): string {
  if (name === "margin") return plotAmount(amount) < 0 ? "bad" : "own";
  if (name === "loss") return "bad";
  return name === "revenue" ? "own" : "rest";
}

/** Of the revenue whose cost is known; beside it how many points that is more or less. */
function MarginShare({
  overview: { today, compared },
}: {
  readonly overview: OperatorOverview;
}): ReactNode {
  const t = useMorningTexts();
  const { share } = useFormats();
  const changes = useChanges();
  const now = marginShare(today);
  if (now === null) return null;
  const [same, before] =
    compared === null
      ? [null, null]
      : [marginShare(compared.today), marginShare(compared.yesterday)];
  const falls = same !== null && before !== null && same - before < -FALLS;
  const { yesterday } = changes.inPoints(compared, marginShare);
  return (
    <span className="morning-share">
      <b className="figure">{share(now)}</b>
      {yesterday === null ? null : (
        <span className={falls ? "morning-falls small" : "quiet small"}>
          {t.toYesterday(yesterday)}
        </span>
      )}
    </span>
  );
}

/** A share smaller than yesterday's by so much is worth a look. */
const FALLS = 0.02;
