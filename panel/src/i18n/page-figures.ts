/** Figures as the sentences of a page have them, in the way of its language. */
import type { Language } from "../../../src/contract/enums/language.ts";
import type { Figures } from "../../../src/contract/figures.ts";
import { formatMoney } from "./format-money.ts";
import { formatCount } from "./format-number.ts";

const NANO_DIGITS = 9;

function roublesOf(nano: string): string {
  const negative = nano.startsWith("-");
  const digits = (negative ? nano.slice(1) : nano).padStart(NANO_DIGITS + 1, "0");
  return `${negative ? "-" : ""}${digits.slice(0, -NANO_DIGITS)}.${digits.slice(-NANO_DIGITS)}`;
}

const figuresIn = (language: Language): Figures => ({
  roubles: (amount) => formatMoney(amount, language),
  nano: (amount) => formatMoney(roublesOf(amount), language),
  count: (count) => formatCount(count, language),
});

export const PAGE_FIGURES: Readonly<Record<Language, Figures>> = {
  ru: figuresIn("ru"),
  en: figuresIn("en"),
};
