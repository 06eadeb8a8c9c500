/** What a task costs at least, and in a line of the list of models. */
import type { PanelModel } from "../../../../src/contract/panel/panel-model.ts";
import type { Formats } from "../../i18n/locale.tsx";
import type { ModelsTexts } from "../../i18n/texts/models.ru.ts";
import { compareDecimals } from "../../ui/decimal.ts";

export type TaskPrice = Extract<PanelModel["price"], { readonly kind: "task" }>;

export function cheapest({ amounts }: TaskPrice): string {
  return amounts
    .map(({ amount }) => amount)
    .reduce((least, amount) => (compareDecimals(amount, least) < 0 ? amount : least));
}

/** `от 4 ₽ за секунду`. */
export function taskPriceLine(price: TaskPrice, t: ModelsTexts, { money }: Formats): string {
  const unit = t.units[price.unit] ?? price.unit;
  const amount = money(cheapest(price));
  return price.amounts.length + price.multiply.length > 1
    ? t.priceFrom(amount, unit)
    : t.pricePerUnit(amount, unit);
}
