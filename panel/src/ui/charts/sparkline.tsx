/**
 * Where a figure goes, beside the figure: a line without axes, which tells nothing that is not told
 * in words. Nothing where there are too few points.
 */
import type { ReactNode } from "react";
import { sparklinePath } from "./sparkline-path.ts";

const BOX = { width: 160, height: 30, margin: 1 };

interface SparklineProps {
  readonly values: readonly number[];
  /** Where it goes is judged, and is bad. */
  readonly bad?: boolean;
}

export function Sparkline({ values, bad = false }: SparklineProps): ReactNode {
  const line = sparklinePath(values, BOX);
  if (line === null) return null;
  return (
    <svg
      className={bad ? "sparkline sparkline-bad" : "sparkline"}
      viewBox={`0 0 ${BOX.width} ${BOX.height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path className="sparkline-fill" d={`${line}V${BOX.height}H0z`} />
      <path className="sparkline-line" d={line} />
    </svg>
  );
}
