/** Every route to an upstream's model, with its breaker in each process. */
import { useMemo } from "react";
import type { ReactNode } from "react";
import type { UpstreamRoute } from "../../../../src/contract/panel/operator-upstreams.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";
import { BreakerBadge } from "./breaker-badge.tsx";
import { figureColumns } from "./figure-columns.tsx";

export function RouteTable({ routes }: { readonly routes: readonly UpstreamRoute[] }): ReactNode {
  const t = useBusinessTexts();
  const formats = useFormats();
  const columns = useMemo(
    (): readonly Column<UpstreamRoute>[] => [
      {
        id: "route",
        header: t.route,
        sortBy: ({ upstream, upstreamModel }) => `${upstream}/${upstreamModel}`,
        cell: ({ upstream, upstreamModel, models }) => (
          <span className="operator-upstreams-name">
            <b>{`${upstream} / ${upstreamModel}`}</b>
            <span className="quiet small">
              {models.length === 0 ? t.notInForce : models.join(", ")}
            </span>
          </span>
        ),
      },
      {
        id: "breakers",
        header: t.breaker,
        cell: ({ breakers }) => <Breakers breakers={breakers} />,
      },
      ...figureColumns<UpstreamRoute>(t, formats),
    ],
    [t, formats],
  );
  return (
    <DataTable
      caption={t.routesCaption}
      columns={columns}
      rows={routes}
      rowKey={({ upstream, upstreamModel, kind }) => `${kind} ${upstream} ${upstreamModel}`}
    />
  );
}

/** One badge where all processes agree, else one for each. */
function Breakers({ breakers }: Pick<UpstreamRoute, "breakers">): ReactNode {
  const [first] = breakers;
  if (first === undefined) return "—";
  if (breakers.every(({ state }) => state === first.state))
    return <BreakerBadge state={first.state} />;
  return (
    <span className="operator-upstreams-name">
      {breakers.map(({ process, state }) => (
        <span key={process} className="row">
          <BreakerBadge state={state} /> <span className="quiet small">{process}</span>
        </span>
      ))}
    </span>
  );
}
