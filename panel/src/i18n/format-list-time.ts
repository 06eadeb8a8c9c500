/**
 * Writes the moments of a list: what is of today to the millisecond, because many rows share a
 * second, and what is older as shortly as it can be told apart.
 */
import type { TimeStyle } from "./format-time.ts";

const LOCALES = { ru: "ru-RU", en: "en-GB" } as const;
const YESTERDAY = { ru: "вчера", en: "yesterday" } as const;
const DAY_MS = 86_400_000;

export interface ListTime {
  readonly text: string;
  /** `,412`: steps back beside it; empty where it would tell nothing. */
  readonly fraction: string;
}

/** `08:14:22` with `,412`, `вчера, 19:02`, `19 нояб., 14:05`, `19.11.2025, 14:05`. */
export function formatListTime(iso: string, nowMs: number, style: TimeStyle): ListTime {
  const { language, timeZone } = style;
  const at = new Date(iso);
  const write = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(LOCALES[language], { ...options, timeZone }).format(at);
  const day = dayOf(at, timeZone);
  if (day === dayOf(new Date(nowMs), timeZone)) {
    const milliseconds = String(at.getMilliseconds()).padStart(3, "0");
    return {
      text: write({ timeStyle: "medium" }),
      fraction: `${language === "ru" ? "," : "."}${milliseconds}`,
    };
  }
  const time = write({ timeStyle: "short" });
  if (day === dayOf(new Date(nowMs - DAY_MS), timeZone))
    return { text: `${YESTERDAY[language]}, ${time}`, fraction: "" };
  const sameYear = day.slice(0, 4) === dayOf(new Date(nowMs), timeZone).slice(0, 4);
  const date = sameYear ? write({ day: "numeric", month: "short" }) : write({ dateStyle: "short" });
  return { text: `${date}, ${time}`, fraction: "" };
}

/** `YYYY-MM-DD` there. */
function dayOf(at: Date, timeZone: string): string {
  return new Intl.DateTimeFormat("en-CA", { dateStyle: "short", timeZone }).format(at);
}

/** Said once over a column: `МСК`, `GMT+7`. */
export function zoneName(nowMs: number, { language, timeZone }: TimeStyle): string {
  if (timeZone === "Europe/Moscow") return language === "ru" ? "МСК" : "MSK";
  const parts = new Intl.DateTimeFormat(LOCALES[language], {
    timeZone,
    timeZoneName: "shortOffset",
  }).formatToParts(nowMs);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? timeZone;
}
