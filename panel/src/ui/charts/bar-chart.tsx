/** Bars; several series stand on each other, so that a bar's height is their sum. */
import type { ReactNode } from "react";
import { ChartArea } from "./chart-area.tsx";
import type { Ground } from "./chart-area.tsx";
import { ChartFrame } from "./chart-frame.tsx";
import type { ChartProps } from "./chart-frame.tsx";

const WIDEST_BAR = 44;

export function BarChart(props: ChartProps): ReactNode {
  const { series, summary, axisText } = props;
  const sums = (series[0]?.points ?? []).map((_, at) =>
    series.reduce((sum, { points }) => sum + (points[at]?.value ?? 0), 0),
  );
  return (
    <ChartFrame {...props}>
      <ChartArea
        summary={summary}
        series={series}
        highest={Math.max(0, ...sums)}
        axisText={axisText}
        draw={(ground, active) =>
          sums.map((_, at) => (
            <Bar
              key={at}
              series={series}
              at={at}
              ground={ground}
              dim={active !== null && active !== at}
            />
          ))
        }
      />
    </ChartFrame>
  );
}

function Bar({
  series,
  at,
  ground,
  dim,
}: {
  readonly series: ChartProps["series"];
  readonly at: number;
  readonly ground: Ground;
  readonly dim: boolean;
}): ReactNode {
  const width = Math.max(1, Math.min(WIDEST_BAR, ground.step * 0.72));
  const valueOf = (index: number): number => series[index]?.points[at]?.value ?? 0;
  return (
    <g className={dim ? "chart-bar chart-dim" : "chart-bar"}>
      {series.map(({ key, points }, index) => {
        const below = series.slice(0, index).reduce((sum, _, lower) => sum + valueOf(lower), 0);
        const [top, foot] = [ground.y(below + valueOf(index)), ground.y(below)];
        return (
          <rect
            key={key}
            className={`chart-colour-${index % 6}${points[at]?.partial === true ? " chart-partial" : ""}`}
            x={ground.x(at) - width / 2}
            y={top}
            width={width}
            height={Math.max(0, foot - top)}
          />
        );
      })}
    </g>
  );
}
