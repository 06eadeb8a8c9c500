/**
 * Writes amounts, counts and shares on the public pages, digit by digit where they are money: never
 * by way of a float.
 */
import type { Language } from "../../contract/enums/language.ts";
import { markup, type Markup } from "./markup.ts";

const MARKS = { ru: { group: "\u00A0", point: "," }, en: { group: ",", point: "." } } as const;
const LOCALES = { ru: "ru-RU", en: "en-GB" } as const;
const KOPECK_DIGITS = 2;

interface Parts {
  readonly whole: string;
  readonly fraction: string;
}

/** Of a decimal of roubles, every digit of it, without a sign: `1 234,5`. */
export function plainAmount(amount: string, language: Language, leastDigits = 0): string {
  const { whole, fraction } = partsOf(amount, language, leastDigits);
  return `${whole}${fraction}`;
}

/** Every digit that there is: `6 883 ₽`, `0,00795 ₽`; kopecks whole where there are any. */
export function moneyText(amount: string, language: Language): string {
  const plain = plainAmount(amount, language, amount.includes(".") ? KOPECK_DIGITS : 0);
  return language === "ru" ? `${plain}\u00A0₽` : `₽${plain}`;
}

/** As `moneyText`, where what is less than a rouble steps back. */
export function money(amount: string, language: Language, leastDigits = KOPECK_DIGITS): Markup {
  const { whole, fraction } = partsOf(amount, language, leastDigits);
  const small = whole === "0" && /[1-9]/.test(fraction);
  const quiet = (text: string): Markup => markup`<span class="k">${text}</span>`;
  const rest = small ? markup`${fraction}` : quiet(fraction);
  return language === "ru"
    ? markup`<span class="num">${whole}${rest}${quiet("\u00A0₽")}</span>`
    : markup`<span class="num">${quiet("₽")}${whole}${rest}</span>`;
}

/** Up to the kopeck, upwards: what something will cost is never shown as less. */
export function upToKopeck(amount: string): string {
  const [whole = "0", fraction = ""] = amount.split(".");
  const kept = BigInt(`${whole}${fraction.slice(0, KOPECK_DIGITS).padEnd(KOPECK_DIGITS, "0")}`);
  const more = /[1-9]/.test(fraction.slice(KOPECK_DIGITS)) ? 1n : 0n;
  const kopecks = String(kept + more).padStart(KOPECK_DIGITS + 1, "0");
  return `${kopecks.slice(0, -KOPECK_DIGITS)}.${kopecks.slice(-KOPECK_DIGITS)}`;
}

export function countText(count: number, language: Language): string {
  return new Intl.NumberFormat(LOCALES[language]).format(count);
}

/** Of a share from 0 to 1, downwards: 99.99 % is not a hundred. */
export function shareText(share: number, language: Language): string {
  const hundredths = Math.floor(share * 10_000) / 100;
  return `${new Intl.NumberFormat(LOCALES[language], { maximumFractionDigits: 2 }).format(hundredths)}\u00A0%`;
}

function partsOf(amount: string, language: Language, leastDigits: number): Parts {
  const { group, point } = MARKS[language];
  const [whole = "0", fraction = ""] = amount.split(".");
  const digits = fraction.replace(/0+$/, "").padEnd(leastDigits, "0");
  return {
    whole: whole.replaceAll(/\B(?=(\d{3})+$)/g, group),
    fraction: digits === "" ? "" : `${point}${digits}`,
  };
}
