/** Lines over the same places, one for each series. */
import { area, curveMonotoneX, line } from "d3-shape";
import type { ReactNode } from "react";
import { ChartArea } from "./chart-area.tsx";
import { ChartFrame } from "./chart-frame.tsx";
import type { ChartProps } from "./chart-frame.tsx";
import type { ChartPoint } from "./chart-point.ts";

export function LineChart(props: ChartProps): ReactNode {
  const { series, summary, axisText } = props;
  const values = series.flatMap(({ points }) => points.map(({ value }) => value));
  return (
    <ChartFrame {...props}>
      <ChartArea
        summary={summary}
        series={series}
        highest={Math.max(0, ...values)}
        lowest={Math.min(0, ...values)}
        axisText={axisText}
        draw={({ x, y }, active) => {
          const draw = line<ChartPoint>(
            (_, at) => x(at),
            ({ value }) => y(value),
          ).curve(curveMonotoneX);
          const fill = area<ChartPoint>(
            (_, at) => x(at),
            y(0),
            ({ value }) => y(value),
          ).curve(curveMonotoneX);
          return series.map(({ key, points }, index) => (
            <g key={key}>
              {series.length === 1 ? (
                <path className="chart-fill" d={fill([...points]) ?? ""} />
              ) : null}
              <path
                className={`chart-stroke chart-colour-${index % 6}`}
                d={draw([...points]) ?? ""}
              />
              {points.map((point, at) =>
                at === active || points.length === 1 ? (
                  <circle
                    key={point.key}
                    className={`chart-colour-${index % 6}`}
                    cx={x(at)}
                    cy={y(point.value)}
                    r={4}
                  />
                ) : null,
              )}
            </g>
          ));
        }}
      />
    </ChartFrame>
  );
}
