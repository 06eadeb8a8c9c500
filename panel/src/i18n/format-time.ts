/** Writes moments, days and spans of time for people, in the member's time zone. */
import type { Language } from "../../../src/contract/enums/language.ts";

export interface TimeStyle {
  readonly language: Language;
  /** As in the IANA list; `Europe/Moscow` where the member chose none. */
  readonly timeZone: string;
}

export const DEFAULT_TIME_ZONE = "Europe/Moscow";

const LOCALES = { ru: "ru-RU", en: "en-GB" } as const;

/** `22.11.2026, 08:16:52`. */
export function formatTime(iso: string, { language, timeZone }: TimeStyle): string {
  return new Intl.DateTimeFormat(LOCALES[language], {
    dateStyle: "short",
    timeStyle: "medium",
    timeZone,
  }).format(new Date(iso));
}

/** `22 ноября 2026 г.` of a moment. */
export function formatDate(iso: string, { language, timeZone }: TimeStyle): string {
  return new Intl.DateTimeFormat(LOCALES[language], { dateStyle: "long", timeZone }).format(
    new Date(iso),
  );
}

/** `22 нояб.` of a calendar day `YYYY-MM-DD`, whatever the time zone. */
export function formatDay(day: string, language: Language): string {
  return new Intl.DateTimeFormat(LOCALES[language], {
    day: "numeric",
    month: "short",
    timeZone: "UTC",
  }).format(new Date(`${day}T00:00:00Z`));
}

/** `22 ноября` of a calendar day `YYYY-MM-DD`: where its year is this one. */
export function formatLongDay(day: string, language: Language): string {
  return new Intl.DateTimeFormat(LOCALES[language], {
    day: "numeric",
    month: "long",
    timeZone: "UTC",
  }).format(new Date(`${day}T00:00:00Z`));
}

const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

/** `5 минут назад`, `через 2 часа`. */
export function formatRelative(iso: string, nowMs: number, language: Language): string {
  const seconds = Math.round((Date.parse(iso) - nowMs) / 1000);
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(LOCALES[language], { numeric: "auto" }).format(
    Math.trunc(seconds / size),
    unit,
  );
}

/** `840 мс`, `12,4 с`, `3 мин 5 с`, `2 ч 10 мин`. */
export function formatDuration(ms: number, language: Language): string {
  const unit = (value: number, name: string, digits = 0): string =>
    new Intl.NumberFormat(LOCALES[language], {
      style: "unit",
      unit: name,
      unitDisplay: "short",
      maximumFractionDigits: digits,
    }).format(value);
  if (ms < 1000) return unit(Math.round(ms), "millisecond");
  if (ms < 60_000) return unit(ms / 1000, "second", 1);
  const seconds = Math.round(ms / 1000);
  if (seconds < 3_600)
    return `${unit(Math.floor(seconds / 60), "minute")} ${unit(seconds % 60, "second")}`;
  return `${unit(Math.floor(seconds / 3_600), "hour")} ${unit(Math.floor((seconds % 3_600) / 60), "minute")}`;
}

/** `сегодня`: the word for a day that is not over yet, and so has less than the others. */
export function formatToday(language: Language): string {
  return new Intl.RelativeTimeFormat(LOCALES[language], { numeric: "auto" }).format(0, "day");
}

/** The calendar day of a moment as the API counts days: in Moscow. */
export function moscowDay(ms: number): string {
  return new Intl.DateTimeFormat("sv-SE", { timeZone: DEFAULT_TIME_ZONE }).format(ms);
}

/** `14:00` of a moment. */
export function formatHour(iso: string, { language, timeZone }: TimeStyle): string {
  return new Intl.DateTimeFormat(LOCALES[language], { timeStyle: "short", timeZone }).format(
    new Date(iso),
  );
}

/** `сейчас`: the word for an hour that is not over yet. */
export function formatNow(language: Language): string {
  return new Intl.RelativeTimeFormat(LOCALES[language], { numeric: "auto" }).format(0, "second");
}
