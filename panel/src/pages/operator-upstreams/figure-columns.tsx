/** The columns with figures that upstreams and routes have in common. */
import { judgeErrors } from "../../../../src/contract/operator/upstream-judgement.ts";
import type { UpstreamHealth } from "../../../../src/contract/panel/operator-upstreams.ts";
import type { Formats } from "../../i18n/locale.tsx";
import type { OperatorBusinessTexts } from "../../i18n/texts/operator-business.ru.ts";
import type { OperatorUpstreamsTexts } from "../../i18n/texts/operator-upstreams.ru.ts";
import type { Column } from "../../ui/data-table.tsx";

type Figures = UpstreamHealth["figures"];
interface Measured {
  readonly figures: Figures;
}

const CLASSES = { good: "figure", warn: "figure status-warn", bad: "figure status-bad" } as const;

/** @param onErrors shows what a row's calls failed with. */
export function figureColumns<Row extends Measured>(
  texts: { readonly business: OperatorBusinessTexts; readonly own: OperatorUpstreamsTexts },
  { count, share, duration }: Formats,
  onErrors: (row: Row) => void,
): readonly Column<Row>[] {
  const { business: t, own } = texts;
  const latency = ({ p50Ms, p95Ms }: Figures["latency"]) => (
    <span className="figure nowrap">
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
          {skipped === 0 ? null : (
            <span className="quiet small nowrap">{t.skipped(count(skipped))}</span>
          )}
        </span>
      ),
    },
    {
      id: "errors",
      header: t.errorRate,
      align: "end",
      sortBy: ({ figures }) => figures.errorRate ?? -1,
      cell(row) {
        const { calls, failed, errorRate } = row.figures;
        return (
          <span className="operator-upstreams-stacked">
            <span className={CLASSES[judgeErrors(calls, failed) ?? "good"]}>
              {errorRate === null ? "—" : share(errorRate)}
            </span>
            {failed === 0 ? null : (
              <button
                type="button"
                className="operator-upstreams-more"
                onClick={() => onErrors(row)}
              >
                {own.showErrors(count(failed))}
              </button>
            )}
          </span>
        );
      },
    },
    {
      id: "latency",
      header: own.latency,
      align: "end",
      sortBy: ({ figures }) => figures.latency.p50Ms ?? -1,
      cell: ({ figures }) => (
        <span className="operator-upstreams-stacked">
          {latency(figures.latency)}
          {figures.firstContent.p50Ms === null ? null : (
            <span className="quiet small nowrap" title={t.first}>
              {own.toFirst} {latency(figures.firstContent)}
            </span>
          )}
        </span>
      ),
    },
  ];
}
