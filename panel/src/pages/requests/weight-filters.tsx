/** Filters of requests by what they cost and how long they took: from so much, up to so much. */
import type { ReactNode } from "react";
import { useLocale } from "../../i18n/locale.tsx";
import { FilterText } from "../../ui/filter-text.tsx";
import { useReceiptTexts } from "../../ui/receipt/use-receipt-texts.ts";
import type { Filters } from "../../ui/use-filters.ts";
import { MILLISECONDS, ROUBLES } from "./asked-weights.ts";

export const WEIGHT_FILTERS = ["chargedFrom", "chargedTo", "durationFrom", "durationTo"] as const;

export function WeightFilters({
  filters,
}: {
  readonly filters: Pick<Filters<(typeof WEIGHT_FILTERS)[number]>, "of">;
}): ReactNode {
  const t = useReceiptTexts();
  const { language } = useLocale();
  const roubles = { pattern: ROUBLES, mistake: t.roublesExpected };
  const milliseconds = { pattern: MILLISECONDS, mistake: t.millisecondsExpected };
  const fields = WEIGHT_FILTERS.map((name) => {
    const isMoney = name === "chargedFrom" || name === "chargedTo";
    const { value, onChange } = filters.of(name);
    return (
      <FilterText
        key={name}
        label={t.weights[name]}
        shape={isMoney ? roubles : milliseconds}
        value={isMoney && language === "ru" ? value.replace(".", ",") : value}
        onChange={(text) => onChange(text.replace(",", "."))}
      />
    );
  });
  return <div className="requests-weights">{fields}</div>;
}
