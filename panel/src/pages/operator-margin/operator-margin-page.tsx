/**
 * What was earned: by day, model or upstream; a cost that no upstream told is unknown, not zero.
 */
import { useState } from "react";
import type { ReactNode } from "react";
import { MARGIN_GROUPINGS } from "../../../../src/contract/enums/spend-grouping.ts";
import type { MarginReport } from "../../../../src/contract/panel/operator-margin.ts";
import { useOperatorData } from "../../api/operator.ts";
import type { MoneyRounding } from "../../i18n/format-money.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { DateField } from "../../ui/date-field.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Money } from "../../ui/money.tsx";
import { daysBack, daysBetween } from "../../ui/operator/days-back.ts";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { Select } from "../../ui/select.tsx";
import { Stat } from "../../ui/stat.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import { DayChart } from "./day-chart.tsx";
import { MarginTable } from "./margin-table.tsx";
import { ShareBars } from "./share-bars.tsx";
import "./operator-margin.css";

const DAYS = 30;
const MOST_DAYS = 92;

export function Component(): ReactNode {
  const t = useBusinessTexts();
  const [first] = useState(() => ({ from: daysBack(DAYS - 1), to: daysBack(0), by: "model" }));
  const filters = useFilters(first);
  const { from, to } = filters.values;
  const by = MARGIN_GROUPINGS.find((one) => one === filters.values.by) ?? "model";
  const days = daysBetween(from, to).length;
  const possible = days > 0 && days <= MOST_DAYS;
  const query = useOperatorData("/operator/margin", { query: { from, to, by }, enabled: possible });
  return (
    <>
      <PageHead title={t.marginTitle} lead={t.marginLead} />
      <FilterBar filters={filters}>
        <Select
          label={t.by}
          options={MARGIN_GROUPINGS.map((value) => ({ value, label: t.bys[value] }))}
          {...filters.of("by")}
        />
        <DateField
          label={t.from}
          max={to}
          {...filters.of("from")}
          {...(possible ? {} : { error: t.badDays })}
        />
        <DateField label={t.to} min={from} {...filters.of("to")} />
      </FilterBar>
      {possible ? (
        <Loaded query={query}>
          {(report) =>
            report.rows.length === 0 ? (
              <EmptyState title={t.noMargin} text={t.noMarginText} />
            ) : (
              <>
                <Totals report={report} />
                <Card>
                  {by === "day" ? <DayChart report={report} /> : <ShareBars report={report} />}
                </Card>
                <MarginTable report={report} />
              </>
            )
          }
        </Loaded>
      ) : null}
    </>
  );
}

function Totals({ report: { total } }: { readonly report: MarginReport }): ReactNode {
  const t = useBusinessTexts();
  const { count, moneyBrief } = useFormats();
  const amountOf = (amount: string | null, brief: MoneyRounding): ReactNode =>
    amount === null ? t.unknown : <Money amount={amount} brief={brief} />;
  return (
    <dl className="figure-strip">
      <Stat label={t.revenue} value={<Money amount={total.revenue} brief="down" />} />
      <Stat label={t.cost} value={amountOf(total.cost, "up")} />
      <Stat label={t.margin} value={amountOf(total.margin, "down")} />
      {total.unknownCostRequests === 0 ? null : (
        <Stat
          label={t.unknownCost}
          value={t.unknownOf(
            count(total.unknownCostRequests),
            moneyBrief(total.unknownCostRevenue, "down"),
          )}
        />
      )}
      <Stat label={t.loss} value={<Money amount={total.loss} brief="up" />} />
    </dl>
  );
}
