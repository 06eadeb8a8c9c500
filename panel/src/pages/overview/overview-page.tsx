/**
 * The account at a glance: what it used in a time and where that goes, what it went to, its keys
 * and their limits, its newest requests; and the first steps of a new one.
 */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { USAGE_FIGURES, USAGE_PARTS } from "../../../../src/contract/enums/usage-range.ts";
import { overviewQuery } from "../../api/overview-query.ts";
import type { Usage } from "../../../../src/contract/panel/usage.ts";
import { usageQuery } from "../../api/usage.ts";
import { useSeesAccount } from "../../app/session.ts";
import { moscowDay } from "../../i18n/format-time.ts";
import { useFormats } from "../../i18n/locale.tsx";
import type { Formats } from "../../i18n/locale.tsx";
import type { OverviewTexts } from "../../i18n/texts/overview.ru.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import { DearestKeys } from "./dearest-keys.tsx";
import { FigureStrip } from "./figure-strip.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { LastRequests } from "./last-requests.tsx";
import { OverviewWarning } from "./overview-warning.tsx";
import "./overview.css";
import { RangeBar } from "./range-bar.tsx";
import { UsageChart } from "./usage-chart.tsx";
import { useOverviewTexts } from "./use-overview-texts.ts";
import { askedTime, readRange } from "./usage-time.ts";
import type { ShownRange } from "./usage-time.ts";

export function Component(): ReactNode {
  const t = useOverviewTexts();
  const { dayMark } = useFormats();
  const filters = useFilters({ range: "30d", from: "", to: "", keyHash: "" });
  const seesAccount = useSeesAccount();
  const shown = useFilters({ by: "model", figure: "spent" });
  // A developer's keys are one member's.
  const splits = USAGE_PARTS.filter((one) => one !== "member" || seesAccount);
  const by = splits.find((one) => one === shown.values.by) ?? "model";
  const figure = USAGE_FIGURES.find((one) => one === shown.values.figure) ?? "spent";
  const range = readRange(filters.values.range);
  const { keyHash } = filters.values;
  const time = askedTime(range, filters.values);
  const overview = useQuery(overviewQuery);
  const usage = useQuery(usageQuery({ ...time, keyHash, by, figure }));
  const keys = useQuery(usageQuery({ ...time, by: "key" }));
  const keyOptions = (keys.data?.parts ?? []).flatMap(({ key }) =>
    key === null ? [] : [{ value: key.hash, label: key.name }],
  );
  const isNew =
    overview.data !== undefined &&
    overview.data.last30Days.requests + overview.data.last30Days.tasks === 0;
  return (
    <>
      <PageHead
        title={t.title}
        lead={
          isNew || usage.data === undefined ? undefined : shownTime(usage.data, range, t, dayMark)
        }
        actions={isNew ? null : <RangeBar range={range} filters={filters} keys={keyOptions} />}
      />
      <Loaded query={overview}>
        {(data) =>
          isNew ? (
            <FirstSteps overview={data} />
          ) : (
            <OverviewWarning overview={data} keys={keys.data} />
          )
        }
      </Loaded>
      {isNew ? null : (
        <>
          <Loaded query={usage} waiting={<Skeleton height={520} />}>
            {(data) => (
              <>
                <FigureStrip usage={data} />
                <UsageChart
                  usage={data}
                  figure={figure}
                  onFigure={(next) => shown.set({ figure: next })}
                  splits={splits}
                  by={by}
                  onBy={(next) => shown.set({ by: next })}
                />
              </>
            )}
          </Loaded>
          <div className="overview-parts">
            <Loaded query={keys}>{(data) => <DearestKeys usage={data} />}</Loaded>
            <LastRequests keyHash={keyHash} />
          </div>
        </>
      )}
    </>
  );
}

/** Which days they are, and against what their changes are: said once, for all figures. */
function shownTime(
  { grain, points, compared }: Usage,
  range: ShownRange,
  t: OverviewTexts,
  dayMark: Formats["dayMark"],
): string {
  const [first, last] = [points[0], points.at(-1)].map((point) =>
    // An hour is of the day that it is in, in Moscow.
    point === undefined
      ? ""
      : dayMark(grain === "day" ? point.at : moscowDay(Date.parse(point.at))).label,
  );
  const shown =
    range === "24h"
      ? t.shownHours
      : t.shownDays(first === last ? (first ?? "") : `${first} – ${last}`);
  const { requests = 0, tasks = 0 } = compared?.before ?? {};
  return requests + tasks === 0 ? shown : `${shown} ${t.compared[range]}`;
}
