/** How the axis of a chart of money is written: `0`, `500`, and `1 500 ₽` at its top. */
import { useFormats, useTexts } from "../../i18n/locale.tsx";
import { spendEn } from "../../i18n/texts/spend.en.ts";
import { spendRu } from "../../i18n/texts/spend.ru.ts";

/** As many as money has. */
const PLACES = 9;
const TEXTS = { ru: spendRu, en: spendEn };

export function useMoneyAxis(): (value: number, withUnit: boolean) => string {
  const t = useTexts(TEXTS);
  const { decimal, count } = useFormats();
  return (value, withUnit) => {
    const figure = Math.abs(value) < 1 ? decimal(plain(value)) : count(value);
    return withUnit ? t.axis(figure) : figure;
  };
}

/** Without an exponent, and without zeros at its end. */
function plain(value: number): string {
  return value.toFixed(PLACES).replace(/\.?0+$/, "");
}
