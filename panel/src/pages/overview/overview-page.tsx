/**
 * The account at a glance: its money and how long that lasts, what was done and spent, and the
 * first steps of a new one.
 */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { overviewQuery } from "../../api/overview-query.ts";
import type { SpendSplit } from "../../api/spend.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { SpendByDay } from "../../ui/spend/spend-by-day.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import { Activity } from "./activity.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { MoneyNow } from "./money-now.tsx";
import "./overview.css";
import { TopKeys, TopModels } from "./top-spenders.tsx";
import { useOverviewTexts } from "./use-overview-texts.ts";

const SPLITS = ["none", "key", "model"] as const;
const LAST_30_DAYS = {};

export function Component(): ReactNode {
  const t = useOverviewTexts();
  const query = useQuery(overviewQuery);
  const filters = useFilters<"split">({ split: "none" });
  const split = SPLITS.find((one) => one === filters.values.split) ?? "none";
  return (
    <>
      <PageHead title={t.title} />
      <Loaded query={query}>
        {(overview) => {
          const { requests, tasks } = overview.last30Days;
          const isNew = requests + tasks === 0;
          return (
            <>
              <MoneyNow overview={overview} />
              {isNew ? <FirstSteps overview={overview} /> : null}
              <Activity overview={overview} />
              {isNew ? null : (
                <>
                  <SpendByDay
                    filter={LAST_30_DAYS}
                    splits={SPLITS}
                    split={split}
                    onSplit={(next: SpendSplit) => filters.set({ split: next })}
                  />
                  <div className="columns">
                    <TopKeys rows={overview.topKeys} />
                    <TopModels rows={overview.topModels} />
                  </div>
                </>
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}
