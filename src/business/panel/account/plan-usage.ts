/**
 * Which hours or days a look at usage has, which of them are over, and which earlier ones each is
 * held against. Pure: the clock is given.
 */
import type { UsageGrain, UsageRange } from "../../../contract/enums/usage-range.ts";
import { dayBefore, daysBetween, moscowMidnight } from "./days.ts";

/** A range up to now, or days of Moscow, both included. */
export type UsageTime =
  | { readonly range: UsageRange }
  | { readonly from: string; readonly to: string };

/** `hours`: read hour by hour; `days-of-hours`: by day, from hours; `days`: from sums of days. */
export type UsageSource = "hours" | "days-of-hours" | "days";

export interface UsagePlan {
  readonly grain: UsageGrain;
  readonly source: UsageSource;
  /** YYYY-MM-DD, or ISO 8601 of hours; the oldest first. Both kinds sort as text. */
  readonly points: readonly string[];
  /** As many, each as long before its point as the points are together. */
  readonly before: readonly string[];
  /** So many of the points are over; the next one is the running one. */
  readonly over: number;
}

export const USAGE_DAYS_MAX = 366;
/** Sums of days have no times of answers. Those of hours are not read for longer than this. */
const DAYS_OF_HOURS_MAX = 8;
const HOURS = 24;
const HOUR_MS = 3_600_000;
const RANGE_DAYS = { "7d": 7, "30d": 30 } as const;

/**
 * Null: the days are the wrong way round, lie ahead, or are more than USAGE_DAYS_MAX.
 *
 * @param today the day that `now` is in Moscow.
 */
export function planUsage(
  time: UsageTime,
  { now, today }: { readonly now: Date; readonly today: string },
): UsagePlan | null {
  if (!("range" in time)) {
    const to = time.to > today ? today : time.to;
    if (time.from > to || time.from <= dayBefore(to, USAGE_DAYS_MAX)) return null;
    return time.from === to
      ? hoursFrom(moscowMidnight(to), now)
      : planDays(daysBetween(time.from, to), today);
  }
  if (time.range === "24h") return hoursFrom(new Date(hourOf(now) - (HOURS - 1) * HOUR_MS), now);
  return planDays(daysBetween(dayBefore(today, RANGE_DAYS[time.range] - 1), today), today);
}

/** A line of fewer points says nothing of where it goes. */
const LINE_POINTS = 7;

/** Points right before the first one that make those that are over a line; or none. */
export function leadOf({ before, over }: Pick<UsagePlan, "before" | "over">): readonly string[] {
  const lacking = LINE_POINTS - over;
  return lacking <= 0 || lacking > before.length ? [] : before.slice(-lacking);
}

function hoursFrom(first: Date, now: Date): UsagePlan {
  const hours = (from: number): string[] =>
    Array.from({ length: HOURS }, (_, hour) => new Date(from + hour * HOUR_MS).toISOString());
  const points = hours(first.getTime());
  const running = new Date(hourOf(now)).toISOString();
  return {
    grain: "hour",
    source: "hours",
    points,
    before: hours(first.getTime() - HOURS * HOUR_MS),
    over: points.filter((point) => point < running).length,
  };
}

function planDays(points: readonly string[], today: string): UsagePlan {
  return {
    grain: "day",
    source: points.length <= DAYS_OF_HOURS_MAX ? "days-of-hours" : "days",
    points,
    before: points.map((point) => dayBefore(point, points.length)),
    over: points.filter((point) => point < today).length,
  };
}

function hourOf(moment: Date): number {
  return Math.floor(moment.getTime() / HOUR_MS) * HOUR_MS;
}
