/** Whether something grew over a series of looks at it: by a slope that single looks cannot bend. */
import { median } from "../figure.ts";
import type { GrowthLimit } from "./soak-figures.ts";

export interface Look {
  /** Since the beginning. */
  readonly seconds: number;
  readonly value: number;
}

export interface Growth {
  /** Over the time between the first look and the last, in the unit of the values. */
  readonly grown: number;
  readonly allowed: number;
  readonly holds: boolean;
}

const HOUR_S = 3600;

/** With fewer than two looks there is nothing to tell, and nothing holds. */
export function judgeGrowth(looks: readonly Look[], limit: GrowthLimit): Growth {
  const [first, last] = [looks[0], looks.at(-1)];
  const seconds = first === undefined || last === undefined ? 0 : last.seconds - first.seconds;
  const grown = slopeOf(looks) * seconds;
  const allowed = limit.noise + (limit.perHour * seconds) / HOUR_S;
  return { grown, allowed, holds: grown <= allowed };
}

/** The median of the slopes between all pairs (Theil–Sen): a third of the looks may be anywhere. */
function slopeOf(looks: readonly Look[]): number {
  return median(
    looks.flatMap((from, index) =>
      looks.slice(index + 1).map((to) => (to.value - from.value) / (to.seconds - from.seconds)),
    ),
  );
}
