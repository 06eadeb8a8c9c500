/**
 * The ground of a chart: axes, the marks drawn on it, and a place to point at or step to for each
 * of them.
 */
import { nice, ticks as roundTicks } from "d3-array";
import { useId, useRef, useState } from "react";
import type { KeyboardEvent, ReactNode } from "react";
import { Stepped } from "../stepped.tsx";
import type { ChartSeries } from "./chart-point.ts";
import { useWidth } from "./use-width.ts";

const HEIGHT = 260;
const TOP = 10;
const BOTTOM = 24;
/** About so many. */
const TICKS = 4;
/** The last label ends at its mark, and so comes half its length nearer to the one before. */
const LABEL_EVERY_PX = 92;
const MOST_LABELS = 5;
const LETTER_PX = 7;

export interface Ground {
  readonly width: number;
  /** Of the place of each point. */
  readonly step: number;
  /** The middle of a point's place. */
  x(at: number): number;
  y(value: number): number;
  /** What fills a mark that will still grow, in the colour of its series. */
  hatch(series: number): string;
}

interface ChartAreaProps {
  readonly summary: string;
  readonly series: readonly ChartSeries[];
  /** The highest figure that must fit. */
  readonly highest: number;
  readonly lowest?: number;
  axisText(value: number, withUnit: boolean): string;
  draw(ground: Ground, active: number | null): ReactNode;
}

export function ChartArea({
  summary,
  series,
  highest,
  lowest = 0,
  axisText,
  draw,
}: ChartAreaProps): ReactNode {
  const [box, width] = useWidth();
  const [active, setActive] = useState<number | null>(null);
  const [stop, setStop] = useState(0);
  const stops = useRef<(HTMLButtonElement | null)[]>([]);
  const points = series[0]?.points ?? [];
  const [bottom, top] = nice(Math.min(lowest, 0), highest > 0 ? highest : 1, TICKS);
  const scale = (value: number): number =>
    HEIGHT - BOTTOM - ((value - bottom) / (top - bottom)) * (HEIGHT - BOTTOM - TOP);
  const ticks = roundTicks(bottom, top, TICKS);
  const tickText = (tick: number): string => axisText(tick, tick === ticks.at(-1));
  const left = Math.max(28, ...ticks.map((tick) => tickText(tick).length * LETTER_PX + 10));
  const step = (width - left) / Math.max(points.length, 1);
  const hatchId = useId().replaceAll(/\W/g, "");
  const ground: Ground = {
    width,
    step,
    x: (at) => left + step * (at + 0.5),
    y: scale,
    hatch: (index) => `url(#${hatchId}-${index % 6})`,
  };
  const labelEvery = Math.max(
    1,
    Math.ceil(LABEL_EVERY_PX / step),
    Math.ceil(points.length / MOST_LABELS),
  );

  function go(event: KeyboardEvent): void {
    const to = { ArrowLeft: stop - 1, ArrowRight: stop + 1, Home: 0, End: points.length - 1 }[
      event.key
    ];
    if (to === undefined || to < 0 || to >= points.length) return;
    event.preventDefault();
    setStop(to);
    stops.current[to]?.focus();
  }

  return (
    <div className="chart-area" role="group" aria-label={summary} ref={box}>
      <svg width={width} height={HEIGHT} role="img" aria-label={summary}>
        <defs>
          {series.slice(0, 6).map(({ key }, index) => (
            <pattern
              key={key}
              id={`${hatchId}-${index}`}
              width={5}
              height={5}
              patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)"
            >
              <rect className={`chart-colour-${index} chart-pale`} width={5} height={5} />
              <rect className={`chart-colour-${index}`} width={2} height={5} />
            </pattern>
          ))}
        </defs>
        {ticks.map((tick) => (
          <g key={tick}>
            <line className="chart-line" x1={left} x2={width} y1={scale(tick)} y2={scale(tick)} />
            <text className="chart-text" x={left - 8} y={scale(tick)} dy="0.32em" textAnchor="end">
              {tickText(tick)}
            </text>
          </g>
        ))}
        {points.map(({ key, label }, at) =>
          (points.length - 1 - at) % labelEvery === 0 ? (
            <text
              key={key}
              className="chart-text"
              x={ground.x(at)}
              y={HEIGHT - 6}
              textAnchor={at === points.length - 1 && step < LABEL_EVERY_PX ? "end" : "middle"}
            >
              {label}
            </text>
          ) : null,
        )}
        {draw(ground, active)}
      </svg>
      {points.map(({ key, label }, at) => (
        <button
          key={key}
          ref={(element) => {
            stops.current[at] = element;
          }}
          type="button"
          className="chart-stop"
          tabIndex={at === stop ? 0 : -1}
          style={{ left: ground.x(at) - step / 2, width: step }}
          aria-label={`${label}: ${series.map(({ name, points: own }) => (series.length === 1 ? own[at]?.text : `${name} ${own[at]?.text ?? ""}`)).join(", ")}`}
          onKeyDown={go}
          onMouseEnter={() => setActive(at)}
          onMouseLeave={() => setActive(null)}
          onFocus={() => {
            setStop(at);
            setActive(at);
          }}
          onBlur={() => setActive(null)}
        />
      ))}
      {active === null ? null : (
        <Note series={series} at={active} x={ground.x(active)} width={width} />
      )}
    </div>
  );
}

function Note({
  series,
  at,
  x,
  width,
}: {
  readonly series: readonly ChartSeries[];
  readonly at: number;
  readonly x: number;
  readonly width: number;
}): ReactNode {
  const side = x > width / 2 ? { right: width - x + 10 } : { left: x + 10 };
  return (
    <div className="chart-note" style={side} aria-hidden="true">
      <b>{series[0]?.points[at]?.label}</b>
      {series.map(({ key, name, points }, index) => (
        <span key={key}>
          {series.length === 1 ? null : <span className={`chart-key chart-colour-${index % 6}`} />}
          {series.length === 1 ? null : `${name} `}
          <span className="figure">
            <Stepped text={points[at]?.text ?? ""} />
          </span>
        </span>
      ))}
    </div>
  );
}
