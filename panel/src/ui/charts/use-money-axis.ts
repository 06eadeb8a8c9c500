/** How the axis of a chart of money is written: `0,05 ₽`, `1 500 ₽`. */
import { useFormats, useTexts } from "../../i18n/locale.tsx";
import { spendEn } from "../../i18n/texts/spend.en.ts";
import { spendRu } from "../../i18n/texts/spend.ru.ts";

/** As many as money has. */
const PLACES = 9;
const TEXTS = { ru: spendRu, en: spendEn };

export function useMoneyAxis(): (value: number) => string {
  const t = useTexts(TEXTS);
  const { decimal, count } = useFormats();
  return (value) => t.axis(Math.abs(value) < 1 ? decimal(plain(value)) : count(value));
}

/** Without an exponent, and without zeros at its end. */
function plain(value: number): string {
  return value.toFixed(PLACES).replace(/\.?0+$/, "");
}
