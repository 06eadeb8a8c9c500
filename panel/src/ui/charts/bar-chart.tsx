/** Bars; several series stand on each other, so that a bar's height is their sum. */
import type { ReactNode } from "react";
import { ChartArea } from "./chart-area.tsx";
import type { Ground } from "./chart-area.tsx";
import { ChartFrame } from "./chart-frame.tsx";
import type { ChartProps } from "./chart-frame.tsx";

const WIDEST_BAR = 44;
const GAP = 4;
const ROUND = 2.5;

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
  const width = Math.max(1, Math.min(WIDEST_BAR, ground.step - Math.min(GAP, ground.step / 3)));
  const valueOf = (index: number): number => series[index]?.points[at]?.value ?? 0;
  const topmost = series.findLastIndex((_, index) => valueOf(index) > 0);
  return (
    <g className={dim ? "chart-dim" : undefined}>
      {series.map(({ key, points }, index) => {
        const below = series.slice(0, index).reduce((sum, _, lower) => sum + valueOf(lower), 0);
        const [top, foot] = [ground.y(below + valueOf(index)), ground.y(below)];
        return (
          <path
            key={key}
            {...(points[at]?.partial === true
              ? {
                  className: `chart-colour-${index % 6} chart-partial`,
                  style: { fill: ground.hatch(index) },
                }
              : { className: `chart-colour-${index % 6}` })}
            d={segment(ground.x(at) - width / 2, top, width, foot, index === topmost ? ROUND : 0)}
          />
        );
      })}
    </g>
  );
}

/** From `top` down to `foot`, with the corners above rounded. */
function segment(x: number, top: number, width: number, foot: number, round: number): string {
  const height = Math.max(0, foot - top);
  const r = Math.min(round, width / 2, height);
  return `M${x} ${top + height}V${top + r}q0 ${-r} ${r} ${-r}h${width - 2 * r}q${r} 0 ${r} ${r}V${top + height}z`;
}
