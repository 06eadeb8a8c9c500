/** Which time the overview shows, as its address says. Pure. */
import { USAGE_RANGES } from "../../../../src/contract/enums/usage-range.ts";
import type { UsageRange } from "../../../../src/contract/enums/usage-range.ts";

export type ShownRange = UsageRange | "own";
export const SHOWN_RANGES: readonly ShownRange[] = [...USAGE_RANGES, "own"];

export interface UsageDays {
  /** YYYY-MM-DD, of Moscow, or empty. */
  readonly from: string;
  readonly to: string;
}

export type AskedTime =
  | { readonly range: UsageRange }
  | { readonly from: string; readonly to: string };

/** What is none of them is the last 30 days. */
export function readRange(text: string): ShownRange {
  return SHOWN_RANGES.find((range) => range === text) ?? "30d";
}

/** Of one's own with a day that is missing: until there are both, the last 30 days. */
export function askedTime(range: ShownRange, { from, to }: UsageDays): AskedTime {
  if (range !== "own") return { range };
  return from === "" || to === "" ? { range: "30d" } : { from, to };
}
