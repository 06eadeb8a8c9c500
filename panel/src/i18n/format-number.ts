/** Writes counts, shares and sizes for people. */
import type { Language } from "../../../src/contract/enums/language.ts";

const LOCALES = { ru: "ru-RU", en: "en-GB" } as const;
const SIZE_UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** `1 234 567`. */
export function formatCount(count: number, language: Language): string {
  return new Intl.NumberFormat(LOCALES[language]).format(count);
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
