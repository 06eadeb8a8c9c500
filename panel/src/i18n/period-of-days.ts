/**
 * From calendar days of the member's zone, the last one included, to the moments that the API asks
 * for.
 */
import { fromLocalTime } from "./local-time.ts";

const DAY_MS = 86_400_000;

/** @param from and `to`: `YYYY-MM-DD`; anything else, as out of an address, is no bound. */
export function periodOfDays(
  from: string,
  to: string,
  timeZone: string,
): { readonly from?: string; readonly to?: string } {
  return {
    ...(isDay(from) && { from: startOf(from, timeZone) }),
    ...(isDay(to) && { to: startOf(dayAfter(to), timeZone) }),
  };
}

function startOf(day: string, timeZone: string): string {
  return fromLocalTime(`${day}T00:00`, timeZone);
}

function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00Z`) + DAY_MS).toISOString().slice(0, 10);
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00Z`));
}

/** Times of lists at a press; `own` is told by its days, and the empty one is all of time. */
export const PERIODS = ["", "today", "yesterday", "7d", "30d", "own"] as const;
export type Period = (typeof PERIODS)[number];

export interface Days {
  /** `YYYY-MM-DD`, both included; empty: no bound. */
  readonly from: string;
  readonly to: string;
}

/** Which days of the member's zone a period is, when it is asked at a moment. */
export function daysOfPeriod(period: Period, own: Days, ms: number, timeZone: string): Days {
  const today = new Intl.DateTimeFormat("sv-SE", { timeZone }).format(ms);
  const back = (days: number): string =>
    new Date(Date.parse(`${today}T00:00Z`) - days * DAY_MS).toISOString().slice(0, 10);
  switch (period) {
    case "own":
      return own;
    case "today":
      return { from: today, to: today };
    case "yesterday":
      return { from: back(1), to: back(1) };
    case "7d":
      return { from: back(6), to: today };
    case "30d":
      return { from: back(29), to: today };
    default:
      return { from: "", to: "" };
  }
}

/** What an address asks for: days of its own where it names some, as old links do. */
export function readPeriod(text: string, { from, to }: Days): Period {
  const known = PERIODS.find((period) => period === text) ?? "";
  return known === "" && from + to !== "" ? "own" : known;
}

/**
 * The first and the last day of the month that a moment lies in, or of one so many months later, in
 * a zone.
 */
export function monthOf(
  ms: number,
  later: number,
  timeZone: string,
): { readonly from: string; readonly to: string } {
  const [year = 0, month = 0] = new Intl.DateTimeFormat("sv-SE", { timeZone })
    .format(ms)
    .split("-")
    .map(Number);
  const day = (months: number, days: number): string =>
    new Date(Date.UTC(year, month - 1 + months, days)).toISOString().slice(0, 10);
  return { from: day(later, 1), to: day(later + 1, 0) };
}
