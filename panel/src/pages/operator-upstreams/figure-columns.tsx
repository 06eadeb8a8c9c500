/** The columns with figures that upstreams and routes have in common. */
import type { UpstreamHealth } from "../../../../src/contract/panel/operator-upstreams.ts";
import type { Formats } from "../../i18n/locale.tsx";
import type { OperatorBusinessTexts } from "../../i18n/texts/operator-business.ru.ts";
import type { Column } from "../../ui/data-table.tsx";
import { OperatorWords } from "../../ui/operator/operator-words.tsx";

type Figures = UpstreamHealth["figures"];
interface Measured {
  readonly figures: Figures;
}

export function figureColumns<Row extends Measured>(
  t: OperatorBusinessTexts,
  { count, share, duration }: Formats,
): readonly Column<Row>[] {
  const latency = ({ p50Ms, p95Ms }: Figures["latency"]) => (
    <span className="figure">
      {p50Ms === null ? "—" : `${duration(p50Ms)} / ${p95Ms === null ? "—" : duration(p95Ms)}`}
    </span>
  );
  return [
    {
      id: "calls",
      header: t.calls,
      align: "end",
      sortBy: ({ figures }) => figures.calls,
      cell: ({ figures: { calls, skipped } }) => (
        <span className="operator-upstreams-stacked">
          <span className="figure">{count(calls)}</span>
          {skipped === 0 ? null : <span className="quiet small">{t.skipped(count(skipped))}</span>}
        </span>
      ),
    },
    {
      id: "errors",
      header: t.errorRate,
      align: "end",
      sortBy: ({ figures }) => figures.errorRate ?? -1,
      cell: ({ figures: { errorRate, errors } }) => (
        <span className="operator-upstreams-stacked">
          <span className="figure">{errorRate === null ? "—" : share(errorRate)}</span>
          {errors.map(({ status, reason, coded, count: times }) => (
            <span key={`${status} ${reason}`} className="quiet small">
              {`${count(times)} × `}
              <OperatorWords words={reason === "" ? String(status ?? "") : reason} coded={coded} />
            </span>
          ))}
        </span>
      ),
    },
    {
      id: "latency",
      header: t.p50p95,
      align: "end",
      cell: ({ figures }) => latency(figures.latency),
    },
    {
      id: "first",
      header: t.first,
      align: "end",
      cell: ({ figures }) => latency(figures.firstContent),
    },
  ];
}
