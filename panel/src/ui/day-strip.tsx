/** Which share of the requests was answered on each of the last days: a bar each. */
import type { ReactNode } from "react";
import { judgeAnswered } from "../../../src/contract/answered-share.ts";

const TONES = { good: "good", weak: "warn", bad: "bad" } as const;

interface DayStripProps {
  /** 0 to 1, the oldest first; null: too few requests. */
  readonly days: readonly (number | null)[];
  /** What it tells, in words. */
  readonly label: string;
}

export function DayStrip({ days, label }: DayStripProps): ReactNode {
  return (
    <span className="strip" role="img" aria-label={label} title={label}>
      {days.map((share, at) => (
        <i
          key={at}
          className={share === null ? "strip-none" : `strip-${TONES[judgeAnswered(share)]}`}
        />
      ))}
    </span>
  );
}
