/** Around every chart: its name, the legend, and the switch to the same figures as a table. */
import { useState } from "react";
import type { ReactNode } from "react";
import { useWords } from "../../i18n/use-words.ts";
import { Button } from "../button.tsx";
import { Stepped } from "../stepped.tsx";
import type { ChartSeries } from "./chart-point.ts";

export interface ChartProps {
  readonly title: string;
  /** What the picture tells, in a sentence, for who cannot see it. */
  readonly summary: string;
  readonly series: readonly ChartSeries[];
  /** Over the first column of the table: `Day`. */
  readonly labelHeader: string;
  /** Writes a figure of the axis; the unit stands at the topmost only. */
  readonly axisText: (value: number, withUnit: boolean) => string;
  /** Of the table beside the picture: the heads of its columns, and the sum below it. */
  readonly sums?: ChartSums;
  /** Beside its name: what is shown, and how. */
  readonly controls?: ReactNode;
}

interface ChartSums {
  readonly name: string;
  readonly sum: string;
  readonly total: string;
  /** Instead of the series, whose legend it is not then: parts of what does not add up. */
  readonly rows?: readonly Pick<ChartSeries, "key" | "name" | "total">[];
  /** What the last line is called, where it is no sum. */
  readonly totalName?: string;
}

export function ChartFrame({
  title,
  series,
  labelHeader,
  controls,
  sums,
  children,
}: Omit<ChartProps, "axisText"> & { readonly children: ReactNode }): ReactNode {
  const words = useWords();
  const [asTable, setAsTable] = useState(false);
  const [only, setOnly] = useState<number | null>(null);
  const beside = sums !== undefined && !asTable;
  return (
    <figure className="chart">
      <figcaption className="chart-head">
        <h2>{title}</h2>
        {controls}
        <Button look="ghost" small aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? words.showChart : words.showTable}
        </Button>
      </figcaption>
      {asTable ? (
        <ChartTable title={title} series={series} labelHeader={labelHeader} />
      ) : beside ? (
        <div className="chart-beside" data-only={only ?? undefined}>
          {children}
          <SumsTable title={title} series={series} sums={sums} onPoint={setOnly} />
        </div>
      ) : (
        children
      )}
      {series.length < 2 || asTable || beside ? null : (
        <ul className="chart-legend">
          {series.map(({ key, name }, at) => (
            <li key={key}>
              <span className={`chart-key chart-colour-${at % 6}`} />
              {name}
            </li>
          ))}
        </ul>
      )}
    </figure>
  );
}

function ChartTable({
  title,
  series,
  labelHeader,
}: Pick<ChartProps, "title" | "series" | "labelHeader">): ReactNode {
  return (
    <div className="table-scroll chart-table" tabIndex={0} role="region" aria-label={title}>
      <table className="table table-plain">
        <caption className="unseen">{title}</caption>
        <thead>
          <tr>
            <th scope="col">{labelHeader}</th>
            {series.map(({ key, name }) => (
              <th key={key} scope="col" className="end">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(series[0]?.points ?? []).map(({ key, label }, at) => (
            <tr key={key}>
              <th scope="row">{label}</th>
              {series.map((one) => (
                <td key={one.key} className="end figure" title={one.points[at]?.exact}>
                  {one.points[at]?.text ?? ""}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The legend, with what each series comes to; where one is pointed at, the others step back. */
function SumsTable({
  title,
  series,
  sums,
  onPoint,
}: Pick<ChartProps, "title" | "series"> & {
  readonly sums: NonNullable<ChartProps["sums"]>;
  onPoint(index: number | null): void;
}): ReactNode {
  const words = useWords();
  return (
    <table className="table table-plain chart-sums">
      <caption className="unseen">{title}</caption>
      <thead>
        <tr>
          <th scope="col">{sums.name}</th>
          <th scope="col" className="end">
            {sums.sum}
          </th>
        </tr>
      </thead>
      <tbody>
        {sums.rows?.map(({ key, name, total }) => (
          <tr key={key}>
            <th scope="row" title={name}>
              {name}
            </th>
            <td className="end figure">
              <Stepped text={total ?? ""} />
            </td>
          </tr>
        )) ??
          series.map(({ key, name, total }, at) => (
            <tr key={key} onMouseEnter={() => onPoint(at)} onMouseLeave={() => onPoint(null)}>
              <th scope="row" title={name}>
                <span className={`chart-key chart-colour-${at % 6}`} />
                {name}
              </th>
              <td className="end figure">
                <Stepped text={total ?? ""} />
              </td>
            </tr>
          ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{sums.totalName ?? words.total}</th>
          <td className="end figure">
            <Stepped text={sums.total} />
          </td>
        </tr>
      </tfoot>
    </table>
  );
}
