/** How a figure stands against the same length of time before. Pure. */
import type { UsageSums } from "../../../../src/contract/panel/usage.ts";

/** As a share of what was before; null: there is nothing to hold it against. */
export function changeOf(now: number | null, before: number | null): number | null {
  return now === null || before === null || before === 0 ? null : now / before - 1;
}

/** Of requests and tasks, from 0 to 1; null: there were none. */
export function errorShare({ errors, requests, tasks }: UsageSums): number | null {
  return requests + tasks === 0 ? null : errors / (requests + tasks);
}

/** Of the input, what was read from a cache; null: there was none. */
export function cacheShare({ cachedTokens, inputTokens }: UsageSums): number | null {
  return inputTokens === 0 ? null : cachedTokens / inputTokens;
}

/** In shares; null: there is nothing to hold it against. */
export function differenceOf(now: number | null, before: number | null): number | null {
  return now === null || before === null ? null : now - before;
}

/** So many failed that it wants looking into. */
const BAD_SHARE = 0.05;
/** Fewer are looked at only where they have become twice as many. */
const WORSE_SHARE = 0.01;

export function areErrorsBad(now: number | null, before: number | null): boolean {
  if (now === null) return false;
  return now >= BAD_SHARE || (before !== null && now >= WORSE_SHARE && now >= 2 * before);
}
