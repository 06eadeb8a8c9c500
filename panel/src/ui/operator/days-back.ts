/** Calendar days of Moscow, as the API counts them. */
import { moscowDay } from "../../i18n/format-time.ts";

const DAY_MS = 86_400_000;

/** `YYYY-MM-DD`, so many days before today. */
export function daysBack(days: number): string {
  return moscowDay(Date.now() - days * DAY_MS);
}

/** Every day from one to the other, both included. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}
