/** What a model costs, in a line of its list, and what the price of a chat request is, exactly. */
import type { PanelModel } from "../../../../src/contract/panel/panel-model.ts";
import type { Formats } from "../../i18n/locale.tsx";
import type { ModelsTexts } from "../../i18n/texts/models.ru.ts";
import { compareDecimals, fromUnits, toUnits } from "../../ui/decimal.ts";

export type ChatPrice = Extract<PanelModel["price"], { readonly kind: "chat" }>;
export type TaskPrice = Extract<PanelModel["price"], { readonly kind: "task" }>;

export function cheapest({ amounts }: TaskPrice): string {
  return amounts.map(({ amount }) => amount).reduce((least, amount) => (compareDecimals(amount, least) < 0 ? amount : least));
}

/** `от 4 ₽ за секунду`. */
export function taskPriceLine(price: TaskPrice, t: ModelsTexts, { money }: Formats): string {
  const unit = t.units[price.unit] ?? price.unit;
  const amount = money(cheapest(price));
  return price.amounts.length + price.multiply.length > 1 ? t.priceFrom(amount, unit) : t.pricePerUnit(amount, unit);
}

const MILLION = 1_000_000n;
/** 10⁻¹⁵ in a billionth of a rouble. */
const NANO_UNITS = 1_000_000n;

export interface ChatTokens {
  /** Of the prompt, neither read from nor written to a cache. */
  readonly input: bigint;
  readonly cachedInput: bigint;
  readonly output: bigint;
  readonly requests: bigint;
}

/** As the gateway prices it: exact to the end, then each request rounded up once to a billionth of a rouble. */
export function chatCost(price: ChatPrice, { input, cachedInput, output, requests }: ChatTokens): string {
  const millionths = input * toUnits(price.input) + cachedInput * toUnits(price.cachedInput) + output * toUnits(price.output);
  const nano = divideUp(millionths + toUnits(price.request) * MILLION, MILLION * NANO_UNITS);
  return fromUnits(nano * requests * NANO_UNITS);
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
