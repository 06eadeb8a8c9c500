/** How every upstream and every route to it fares: state, errors, latency; and taking one out. */
import { useCallback, useState } from "react";
import type { ReactNode } from "react";
import { useOperatorData } from "../../api/operator.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FilterBar } from "../../ui/filter-bar.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { Select } from "../../ui/select.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import { RouteTable } from "./route-table.tsx";
import { UpstreamErrors, type ErrorsOf } from "./upstream-errors.tsx";
import { UpstreamTable } from "./upstream-table.tsx";
import "./operator-upstreams.css";

const EVERY_MS = 15_000;
const WINDOWS = ["15m", "24h"] as const;

export function Component(): ReactNode {
  const t = useBusinessTexts();
  const filters = useFilters({ window: "15m" });
  const window = WINDOWS.find((one) => one === filters.values.window) ?? "15m";
  const [errors, setErrors] = useState<ErrorsOf | null>(null);
  const onErrors = useCallback(
    ({ upstream, upstreamModel, figures }: ErrorsOf) =>
      setErrors({ upstream, upstreamModel, figures }),
    [],
  );
  const query = useOperatorData("/operator/upstreams", { query: { window }, everyMs: EVERY_MS });
  return (
    <>
      <PageHead title={t.upstreamsTitle} lead={t.upstreamsLead} />
      <FilterBar filters={filters}>
        <Select
          label={t.window}
          options={WINDOWS.map((value) => ({ value, label: t.windows[value] }))}
          {...filters.of("window")}
        />
      </FilterBar>
      <Loaded query={query}>
        {(report) =>
          report.upstreams.length === 0 ? (
            <EmptyState
              title={t.noUpstreams}
              text={t.noUpstreamsText}
              action={<ButtonLink to="/operator/catalogue">{t.toCatalogue}</ButtonLink>}
            />
          ) : (
            <>
              {report.sampled ? <p className="banner">{t.sampled}</p> : null}
              <UpstreamTable report={report} onErrors={onErrors} />
              {report.upstreams.some(({ worst }) => worst === null) ? (
                <p className="quiet small">{t.breakersUnreported}</p>
              ) : null}
              <h2>{t.routes}</h2>
              <RouteTable report={report} onErrors={onErrors} />
              <p className="quiet small">{`${t.processes}: ${report.processes.map(({ process }) => process).join(", ") || "—"}`}</p>
            </>
          )
        }
      </Loaded>
      <UpstreamErrors of={errors} window={window} close={() => setErrors(null)} />
    </>
  );
}
