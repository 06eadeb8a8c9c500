/** How long a balance lasts, by how it went down; top-ups in between count for nothing. */

/** When, as an ISO time, and how much, in billionths. */
export type BalanceSample = readonly [at: string, amount: string];

const HOUR_MS = 3_600_000;
const DAY_MS = 24n * 3_600_000n;
/** A week of hours. */
const MOST_SAMPLES = 168;
/** Sooner a night would pass for idleness, and one long answer for a habit. */
const LEAST_SPAN_MS = 6 * HOUR_MS;
/** What lasts longer, lasts: no trend of a week is good for more. */
const LONGEST_DAYS = 365;

/** At most one for each hour; what is older than a week goes. */
export function withSample(
  samples: readonly BalanceSample[],
  now: Date,
  amount: bigint,
): readonly BalanceSample[] {
  const weekAgo = now.getTime() - MOST_SAMPLES * HOUR_MS;
  const kept = samples.filter(([at]) => Date.parse(at) >= weekAgo);
  const newest = kept.at(-1);
  if (newest !== undefined && now.getTime() - Date.parse(newest[0]) < HOUR_MS) return kept;
  return [...kept, [now.toISOString(), String(amount)] as const].slice(-MOST_SAMPLES);
}

/** In whole days, rounded down; null: it does not go down, or is not known for long enough. */
export function lastsDays(
  samples: readonly BalanceSample[],
  { at, amount }: { readonly at: Date; readonly amount: bigint },
): number | null {
  const first = samples[0];
  if (first === undefined) return null;
  const spanMs = at.getTime() - Date.parse(first[0]);
  if (spanMs < LEAST_SPAN_MS) return null;
  const amounts = [...samples.map(([, reported]) => BigInt(reported)), amount];
  let spent = 0n;
  for (const [index, now] of amounts.entries()) {
    const before = amounts[index - 1] ?? now;
    if (before > now) spent += before - now;
  }
  if (spent === 0n) return null;
  if (amount <= 0n) return 0;
  const days = (amount * BigInt(spanMs)) / (spent * DAY_MS);
  return days > BigInt(LONGEST_DAYS) ? LONGEST_DAYS : Number(days);
}
