/** The day at a glance: what to do first, then what it has brought, beside earlier days. */
import type { ReactNode } from "react";
import { useOperatorData } from "../../api/operator.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { DayStrip } from "./day-strip.tsx";
import "./operator-overview.css";
import { Pace } from "./pace.tsx";
import { RevenueChart } from "./revenue-chart.tsx";
import { ToDo } from "./to-do.tsx";
import { Tops } from "./tops.tsx";
import { useMorningTexts } from "./use-morning-texts.ts";
import { Waterfall } from "./waterfall.tsx";

const EVERY_MS = 30_000;

export function Component(): ReactNode {
  const t = useMorningTexts();
  const business = useBusinessTexts();
  const { longDay } = useFormats();
  const query = useOperatorData("/operator/overview", { everyMs: EVERY_MS });
  const overview = query.data;
  const compared = overview?.compared ?? null;
  return (
    <>
      <PageHead
        title={overview === undefined ? business.overviewTitle : t.title(longDay(overview.day))}
        lead={
          overview === undefined
            ? undefined
            : compared === null
              ? t.leadFirstHour
              : t.lead(`${String(compared.hours).padStart(2, "0")}:00`)
        }
      />
      <Loaded query={query}>
        {(shown) => (
          <>
            <ToDo overview={shown} />
            <div className="morning-money">
              <Waterfall overview={shown} />
              <Pace overview={shown} />
            </div>
            <DayStrip overview={shown} />
            <Tops overview={shown} />
            <RevenueChart />
          </>
        )}
      </Loaded>
    </>
  );
}
