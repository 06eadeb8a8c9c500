/** Figures as people read them: three digits that count, a unit, and the range of the rounds. */
import { median, type Figure } from "./figure.ts";

export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

export function withUnit(value: number, unit: string): string {
  return unit === "" ? formatNumber(value) : `${formatNumber(value)} ${unit}`;
}

/** `41.2 µs/request (39.8–44.0)` */
export function formatFigure({ values, unit }: Figure): string {
  const middle = withUnit(median(values), unit);
  return values.length < 2
    ? middle
    : `${middle} (${formatNumber(Math.min(...values))}–${formatNumber(Math.max(...values))})`;
}
