/** Writes counts, shares and sizes for people. */
import type { Language } from "../../../src/contract/enums/language.ts";

const LOCALES = { ru: "ru-RU", en: "en-GB" } as const;
const SIZE_UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** `1 234 567`. */
export function formatCount(count: number, language: Language): string {
  return new Intl.NumberFormat(LOCALES[language]).format(count);
}

/** From a million on it is not told to the last one. */
const LONG_COUNT = 1_000_000;

/** Of a headline figure: `759 412`, `21,5 млн`. */
export function formatCountBrief(count: number, language: Language): string {
  if (Math.abs(count) < LONG_COUNT) return formatCount(count, language);
  return new Intl.NumberFormat(LOCALES[language], {
    notation: "compact",
    maximumFractionDigits: 1,
  }).format(count);
}

/** Beyond it a percentage is harder to read than how many times. */
const TIMES_FROM = 9;

/** Of a change as a share of what was before: `+12 %`, `−3 %`, `×14`. */
export function formatChange(change: number, language: Language): string {
  if (change > TIMES_FROM) return `×${formatCount(Math.round(change + 1), language)}`;
  const percent = new Intl.NumberFormat(LOCALES[language], {
    style: "percent",
    maximumFractionDigits: 0,
    signDisplay: "exceptZero",
  });
  return withMinus(percent.format(change));
}

/** Of a difference of two shares, in points: `+0,4`, `−1,2`. */
export function formatPoints(difference: number, language: Language): string {
  const points = new Intl.NumberFormat(LOCALES[language], {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
    signDisplay: "exceptZero",
  });
  return withMinus(points.format(difference * 100));
}

function withMinus(text: string): string {
  return text.replace("-", "−");
}

/** Of a decimal string, every digit of it: `1 234 567,5`. */
export function formatDecimal(decimal: string, language: Language): string {
  const [whole = "", fraction] = decimal.split(".");
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, language === "ru" ? "\u00A0" : ",");
  return fraction === undefined ? grouped : `${grouped}${language === "ru" ? "," : "."}${fraction}`;
}

/**
 * Of a decimal string, as it stands in a field to be changed: no thousands apart, and never one
 * mark with three digits after it, which could be read as thousands (`ui/read-decimal.ts`).
 */
export function formatInput(decimal: string, language: Language): string {
  const text = /^-?[1-9]\d{0,2}\.\d{3}$/.test(decimal) ? `${decimal}0` : decimal;
  return language === "ru" ? text.replace(".", ",") : text;
}

/** Of a share from 0 to 1: `12,5 %`. */
export function formatShare(share: number, language: Language): string {
  return new Intl.NumberFormat(LOCALES[language], {
    style: "percent",
    maximumFractionDigits: 1,
  })
    .format(share)
    .replace("-", "−");
}

/** `812 байт`, `1,5 МБ`: 1024 of each, as the limits are set and as the API tells them. */
export function formatSize(bytes: number, language: Language): string {
  let value = bytes;
  let at = 0;
  while (value >= 1024 && at < SIZE_UNITS.length - 1) {
    value /= 1024;
    at += 1;
  }
  const unit = SIZE_UNITS[at] ?? "byte";
  // "10 byte" is what English shortens bytes to.
  const unitDisplay = at === 0 ? "long" : "short";
  return new Intl.NumberFormat(LOCALES[language], {
    style: "unit",
    unit,
    unitDisplay,
    maximumFractionDigits: 1,
  }).format(value);
}
