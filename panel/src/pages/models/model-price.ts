/** What a task or a call costs at least, and in a line of the list of models. */
import type { PanelModel } from "../../../../src/contract/panel/panel-model.ts";
import type { Formats } from "../../i18n/locale.tsx";
import type { ModelsTexts } from "../../i18n/texts/models.ru.ts";
import { compareDecimals } from "../../ui/decimal.ts";

export type TaskPrice = Extract<PanelModel["price"], { readonly kind: "task" }>;
export type CallPrice = Extract<PanelModel["price"], { readonly kind: "call" }>;

export function cheapest(priced: readonly { readonly amount: string }[]): string {
  return priced
    .map(({ amount }) => amount)
    .reduce((least, amount) => (compareDecimals(amount, least) < 0 ? amount : least));
}

/** `от 4 ₽ за секунду`. */
export function taskPriceLine(price: TaskPrice, t: ModelsTexts, { money }: Formats): string {
  const unit = t.units[price.unit] ?? price.unit;
  const amount = money(cheapest(price.amounts));
  return price.amounts.length + price.multiply.length > 1
    ? t.priceFrom(amount, unit)
    : t.pricePerUnit(amount, unit);
}

/** `от 1 ₽ за изображение`. */
export function callPriceLine({ rows }: CallPrice, t: ModelsTexts, { money }: Formats): string {
  const [first] = rows;
  if (first === undefined) return "";
  const amount = money(cheapest(rows));
  const unit = unitOfRow(first, t);
  return rows.length > 1 ? t.priceFrom(amount, unit) : t.pricePerUnit(amount, unit);
}

export function unitOfRow({ what, per }: CallPrice["rows"][number], t: ModelsTexts): string {
  const unit = per === "each" ? what : per;
  return t.units[unit] ?? unit;
}
