/** Every route to an upstream's model, with its breaker in each process. */
import { useMemo, useState } from "react";
import type { ReactNode } from "react";
import { BREAKER_STATES } from "../../../../src/contract/enums/breaker-state.ts";
import type {
  UpstreamRoute,
  UpstreamsReport,
} from "../../../../src/contract/panel/operator-upstreams.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";
import { useOperatorTexts } from "../../ui/operator/use-operator-texts.ts";
import { TwoLines } from "../../ui/two-lines.tsx";
import { figureColumns } from "./figure-columns.tsx";
import { TakeOut } from "./take-out.tsx";
import type { ErrorsOf } from "./upstream-errors.tsx";
import { UpstreamState } from "./upstream-state.tsx";
import { useUpstreamTexts } from "./use-upstream-texts.ts";

export function RouteTable({
  report,
  onErrors,
}: {
  readonly report: UpstreamsReport;
  onErrors(of: ErrorsOf): void;
}): ReactNode {
  const t = useBusinessTexts();
  const own = useUpstreamTexts();
  const shared = useOperatorTexts();
  const formats = useFormats();
  const columns = useMemo((): readonly Column<UpstreamRoute>[] => {
    const outUpstreams = new Set(
      report.upstreams.flatMap(({ name, out }) => (out === null ? [] : [name])),
    );
    return [
      {
        id: "route",
        header: t.route,
        share: 28,
        sortBy: ({ upstream, upstreamModel }) => `${upstream}/${upstreamModel}`,
        cell: ({ upstream, upstreamModel, models }) => (
          <TwoLines
            title={`${upstream} / ${upstreamModel}`}
            detail={models.length === 0 ? t.notInForce : models.join(", ")}
          >
            {`${upstream} / ${upstreamModel}`}
          </TwoLines>
        ),
      },
      {
        id: "state",
        header: shared.state,
        cell: (route) => (
          <span title={breakersOf(route, t.breakers)}>
            <UpstreamState
              worst={worstOf(route)}
              out={route.out}
              figures={route.figures}
              outWithUpstream={outUpstreams.has(route.upstream)}
            />
          </span>
        ),
      },
      ...figureColumns<UpstreamRoute>({ business: t, own }, formats, onErrors),
      {
        id: "actions",
        header: "",
        align: "end",
        cell: ({ upstream, upstreamModel, inForce, out }) =>
          inForce ? (
            <TakeOut route={{ upstream, upstreamModel }} out={out} report={report} />
          ) : null,
      },
    ];
  }, [t, own, shared, formats, report, onErrors]);
  const [all, setAll] = useState(false);
  // A route without a call in this time tells nothing, unless it is left alone or taken out.
  const telling = report.routes.filter(
    (route) =>
      route.figures.calls > 0 || route.out !== null || !["closed", null].includes(worstOf(route)),
  );
  const quiet = report.routes.length - telling.length;
  return (
    <>
      <DataTable
        caption={t.routesCaption}
        columns={columns}
        rows={all || telling.length === 0 ? report.routes : telling}
        rowKey={({ upstream, upstreamModel, kind }) => `${kind} ${upstream} ${upstreamModel}`}
      />
      {quiet === 0 || telling.length === 0 ? null : (
        <div>
          <Button look="ghost" small aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? own.hideQuiet : own.showQuiet(quiet)}
          </Button>
        </div>
      )}
    </>
  );
}

function worstOf({ breakers }: UpstreamRoute): (typeof BREAKER_STATES)[number] | null {
  const worst = Math.max(...breakers.map(({ state }) => BREAKER_STATES.indexOf(state)));
  return BREAKER_STATES[worst] ?? null;
}

/** By process, where they do not agree. */
function breakersOf(
  { breakers }: UpstreamRoute,
  names: Readonly<Record<(typeof BREAKER_STATES)[number], string>>,
): string | undefined {
  const [first] = breakers;
  if (first === undefined || breakers.every(({ state }) => state === first.state)) return undefined;
  return breakers.map(({ process, state }) => `${process}: ${names[state]}`).join("\n");
}
