/** How much of a limit is used up, as a bar beside the words that tell it. */
import type { ReactNode } from "react";
import { plotAmount } from "./charts/chart-point.ts";

/** From here on it will not last. */
const LATE = 0.8;

interface MeterProps {
  /** Decimal strings. */
  readonly remaining: string;
  readonly of: string;
}

export function Meter({ remaining, of }: MeterProps): ReactNode {
  const whole = plotAmount(of);
  const used = whole === 0 ? 1 : Math.min(1, Math.max(0, 1 - plotAmount(remaining) / whole));
  return (
    <span className={`meter${used >= 1 ? " meter-over" : used >= LATE ? " meter-late" : ""}`}>
      <span style={{ width: `${used * 100}%` }} />
    </span>
  );
}
