/**
 * Revenue of each model or upstream as a bar, with what of it is known to be margin; its figures
 * stand in the table below.
 */
import type { ReactNode } from "react";
import type { MarginReport } from "../../../../src/contract/panel/operator-margin.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { plotAmount } from "../../ui/charts/chart-point.ts";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";
import { useRowName } from "./use-row-name.ts";

const MOST_BARS = 12;

export function ShareBars({ report: { rows, by } }: { readonly report: MarginReport }): ReactNode {
  const t = useBusinessTexts();
  const { moneyBrief } = useFormats();
  const nameOf = useRowName(by);
  const highest = Math.max(...rows.map(({ revenue }) => plotAmount(revenue)), Number.MIN_VALUE);
  const part = (amount: string | null): string =>
    `${amount === null ? 0 : Math.max(0, (plotAmount(amount) / highest) * 100)}%`;
  return (
    <figure className="operator-margin-chart">
      <figcaption>
        <h2>{t.marginSummary}</h2>
      </figcaption>
      <ul className="operator-margin-bars">
        {rows.slice(0, MOST_BARS).map(({ name, revenue, margin }) => (
          <li key={name ?? ""}>
            <span className="operator-margin-name">{nameOf(name)}</span>
            <span className="operator-margin-track" aria-hidden="true">
              <span className="operator-margin-revenue" style={{ width: part(revenue) }} />
              <span className="operator-margin-margin" style={{ width: part(margin) }} />
            </span>
            <span className="figure small">{`${moneyBrief(revenue, "down")} · ${margin === null ? t.unknown : moneyBrief(margin, "down")}`}</span>
          </li>
        ))}
      </ul>
      <ul className="chart-legend">
        <li>
          <span className="chart-key operator-margin-revenue" /> {t.revenue}
        </li>
        <li>
          <span className="chart-key operator-margin-margin" /> {t.margin}
        </li>
      </ul>
    </figure>
  );
}
