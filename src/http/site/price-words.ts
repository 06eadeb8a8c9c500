/** What a model costs, in the words of a list and in the rows of its own page. */
import type { Language } from "../../contract/enums/language.ts";
import type { PanelModel } from "../../contract/panel/panel-model.ts";
import { EACH_KINDS, TOKEN_KINDS } from "../../contract/price/chat-price.ts";
import { moneyText } from "./format-figures.ts";
import type { SiteTexts } from "./texts/site.ru.ts";

export type ChatPrice = Extract<PanelModel["price"], { readonly kind: "chat" }>;
export type CallPrice = Extract<PanelModel["price"], { readonly kind: "call" }>;
export type TaskPrice = Extract<PanelModel["price"], { readonly kind: "task" }>;

interface Words {
  readonly t: SiteTexts;
  readonly language: Language;
}

/** Of a model that is no chat: `от 4 ₽ за секунду`. Empty: it has no price. */
export function priceLine(price: CallPrice | TaskPrice, { t, language }: Words): string {
  const priced = price.kind === "call" ? price.rows : price.amounts;
  const [first] = priced;
  if (first === undefined) return "";
  const amount = moneyText(leastOf(priced.map((one) => one.amount)), language);
  const several = priced.length > 1 || (price.kind === "task" && price.multiply.length > 0);
  const unit = price.kind === "call" ? unitOfRow(price.rows[0], t) : unitOf(price.unit, t);
  return several ? t.priceFrom(amount, unit) : t.pricePer(amount, unit);
}

function unitOf(unit: string, t: SiteTexts): string {
  return t.units[unit] ?? unit;
}

export function unitOfRow(row: CallPrice["rows"][number] | undefined, t: SiteTexts): string {
  if (row === undefined) return "";
  return unitOf(row.per === "each" ? row.what : row.per, t);
}

function leastOf(amounts: readonly string[]): string {
  return amounts.reduce((least, amount) => (isLess(amount, least) ? amount : least));
}

/** Of decimals that are not below zero. */
function isLess(one: string, other: string): boolean {
  const [wholeOne = "0", fractionOne = ""] = one.split(".");
  const [wholeOther = "0", fractionOther = ""] = other.split(".");
  const [whole, than] = [BigInt(wholeOne), BigInt(wholeOther)];
  if (whole !== than) return whole < than;
  const places = Math.max(fractionOne.length, fractionOther.length);
  return fractionOne.padEnd(places, "0") < fractionOther.padEnd(places, "0");
}

/** `размер 1024x1024`, of what the price of a row is for. */
export function namedValues(
  when: Readonly<Record<string, string>>,
  names: Readonly<Record<string, string>>,
  t: SiteTexts,
): string {
  return Object.entries(when)
    .map(([name, value]) => {
      const shown = value === "true" ? t.yes : value === "false" ? t.no : value;
      return `${names[name] ?? name} ${shown}`;
    })
    .join(", ");
}

export interface KindAmount {
  readonly what: string;
  readonly amount: string;
  /** Else for a million tokens. */
  readonly each: boolean;
}

/** What costs nothing by itself needs no row. */
export function kindAmounts(
  price: Readonly<
    Partial<Record<(typeof TOKEN_KINDS | typeof EACH_KINDS)[number], string | undefined>>
  >,
  t: SiteTexts,
): readonly KindAmount[] {
  const row = (kind: keyof typeof price, each: boolean): readonly KindAmount[] => {
    const amount = price[kind];
    if (amount === undefined || (each && amount === "0")) return [];
    return [{ what: t.tokenKinds[kind] ?? kind, amount, each }];
  };
  return [
    ...TOKEN_KINDS.flatMap((kind) => row(kind, false)),
    ...EACH_KINDS.flatMap((kind) => row(kind, true)),
  ];
}
