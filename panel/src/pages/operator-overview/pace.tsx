/** Revenue as it adds up through the day, beside yesterday and a week ago. */
import type { CSSProperties, ReactNode } from "react";
import type { OperatorOverview } from "../../../../src/contract/panel/operator-overview.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { plotAmount } from "../../ui/charts/chart-point.ts";
import { addAmounts } from "../../ui/operator/add-amounts.ts";
import { useMorningTexts } from "./use-morning-texts.ts";

const HOURS = 24;
const HOUR_MS = 3_600_000;
const MARKS = [0, 6, 12, 18, 24];
const LINES = ["today", "yesterday", "weekAgo"] as const;
/** In percent of the plot: what is highest leaves room for its line. */
const ROOF = 96;

/** In percent from the plot's lower left. */
interface Place {
  readonly x: number;
  readonly y: number;
}

export function Pace({ overview }: { readonly overview: OperatorOverview }): ReactNode {
  const t = useMorningTexts();
  const { moneyBrief } = useFormats();
  const { hours, at, day } = overview;
  const sums = {
    today: addedUp(hours.flatMap((hour) => hour.today ?? [])),
    yesterday: addedUp(hours.map((hour) => hour.yesterday)),
    weekAgo: addedUp(hours.map((hour) => hour.weekAgo)),
  };
  const highest = Math.max(
    Number.MIN_VALUE,
    ...LINES.flatMap((name) => sums[name]).map(plotAmount),
  );
  const nowHours = (Date.parse(at) - Date.parse(`${day}T00:00:00+03:00`)) / HOUR_MS;
  const placesOf = (line: readonly string[]): readonly Place[] =>
    ["0", ...line].map((sum, hour) => ({
      // The hour that is not over has come as far as now.
      x: ((line === sums.today ? Math.min(hour, nowHours) : hour) / HOURS) * 100,
      y: (plotAmount(sum) / highest) * ROOF,
    }));
  const written = (places: readonly Place[]): string =>
    places.map(({ x, y }) => `${x},${100 - y}`).join(" ");
  const soFar = placesOf(sums.today);
  const now = soFar.at(-1) ?? { x: 0, y: 0 };
  const brief = (line: readonly string[]): string => moneyBrief(line.at(-1) ?? "0", "down");
  return (
    <Card
      className="morning-pace"
      title={t.pace}
      actions={
        <ul className="chart-legend">
          {LINES.map((name) => (
            <li key={name}>
              <span className={`morning-key morning-key-${name}`} /> {t[name]}
            </li>
          ))}
        </ul>
      }
    >
      <div className="morning-plot">
        <svg
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          role="img"
          aria-label={t.paceSummary(brief(sums.today), brief(sums.yesterday))}
        >
          <polygon className="morning-area" points={`${written(soFar)} ${now.x},100 0,100`} />
          <polyline className="morning-line-weekAgo" points={written(placesOf(sums.weekAgo))} />
          <polyline className="morning-line-yesterday" points={written(placesOf(sums.yesterday))} />
          <polyline className="morning-line-today" points={written(soFar)} />
        </svg>
        <span
          className={`morning-now ${now.x < 50 ? "morning-now-early" : ""}`.trim()}
          style={{ "--x": `${now.x}%`, "--y": `${now.y}%` } as CSSProperties}
          aria-hidden="true"
        >
          <b className="figure">{brief(sums.today)}</b>
        </span>
      </div>
      <div className="morning-marks" aria-hidden="true">
        {MARKS.map((hour) => (
          <span key={hour}>{`${String(hour).padStart(2, "0")}:00`}</span>
        ))}
      </div>
      <p className="quiet small">{t.wholeDays(brief(sums.yesterday), brief(sums.weekAgo))}</p>
    </Card>
  );
}

/** What each hour's end had seen. */
function addedUp(amounts: readonly string[]): readonly string[] {
  let sum = "0";
  return amounts.map((amount) => (sum = addAmounts(sum, amount) ?? sum));
}
