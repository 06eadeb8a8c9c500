/** Which time the overview is of, and of which key: chosen at a press, or by two days. */
import type { ReactNode } from "react";
import type { Option } from "../../ui/select.tsx";
import { DateField } from "../../ui/date-field.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { Segments } from "../../ui/segments.tsx";
import type { Filters } from "../../ui/use-filters.ts";
import { useOverviewTexts } from "./use-overview-texts.ts";
import { SHOWN_RANGES, type ShownRange } from "./usage-time.ts";

interface RangeBarProps {
  readonly range: ShownRange;
  readonly filters: Filters<"range" | "from" | "to" | "keyHash">;
  readonly keys: readonly Option<string>[];
}

export function RangeBar({ range, filters, keys }: RangeBarProps): ReactNode {
  const t = useOverviewTexts();
  return (
    <div className="overview-range">
      <Segments
        label={t.range}
        value={range}
        onChange={(next) => filters.set({ range: next, ...(next !== "own" && NO_DAYS) })}
        options={SHOWN_RANGES.map((one) => ({ value: one, label: t.ranges[one] }))}
      />
      {range === "own" ? (
        <>
          <DateField label={t.from} quietLabel {...filters.of("from")} />
          <DateField label={t.to} quietLabel {...filters.of("to")} />
        </>
      ) : null}
      {keys.length < 2 ? null : (
        <FilterSelect
          label={t.key}
          quietLabel
          all={t.allKeys}
          options={keys}
          goneLabel={(hash) => hash.slice(0, 8)}
          {...filters.of("keyHash")}
        />
      )}
    </div>
  );
}

const NO_DAYS = { from: "", to: "" };
