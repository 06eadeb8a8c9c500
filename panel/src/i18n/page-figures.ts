/** Figures as the sentences of a page have them, in the way of its language. */
import type { Language } from "../../../src/contract/enums/language.ts";
import type { Figures } from "../../../src/contract/sentences/figures.ts";
import { formatMoney } from "./format-money.ts";
import { formatCount } from "./format-number.ts";

const figuresIn = (language: Language): Figures => ({
  roubles: (amount) => formatMoney(amount, language),
  count: (count) => formatCount(count, language),
});

export const PAGE_FIGURES: Readonly<Record<Language, Figures>> = {
  ru: figuresIn("ru"),
  en: figuresIn("en"),
};
