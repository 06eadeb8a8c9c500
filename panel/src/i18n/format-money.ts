/** Writes amounts of roubles for people, digit by digit from the API's decimal strings: never by way of a float. */
import type { Language } from "./language.ts";

const KOPECK_DIGITS = 2;
const NBSP = "\u00A0";

interface Decimal {
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
}

/** Every digit that there is, kopecks at least: `1 234,50 ₽`, `0,000125 ₽`. */
export function formatMoney(amount: string, language: Language): string {
  return write(read(amount), language);
}

/** To the kopeck, half a kopeck upwards: for sums and balances, where the exact figure is at hand too. What is less than one says so. */
export function formatMoneyBrief(amount: string, language: Language): string {
  const exact = read(amount);
  const rounded = round(exact);
  const something = /[1-9]/.test(exact.whole + exact.fraction);
  if (something && !/[1-9]/.test(rounded.whole + rounded.fraction)) {
    return `${exact.negative ? ">" : "<"}${NBSP}${write({ negative: exact.negative, whole: "0", fraction: "01" }, language)}`;
  }
  return write(rounded, language);
}

function read(amount: string): Decimal {
  const match = /^([+-]?)(\d+)(?:\.(\d*))?$/.exec(amount.trim());
  if (match === null) throw new Error(`not an amount: ${amount}`);
  const [, sign, whole = "0", fraction = ""] = match;
  const trimmed = fraction.replace(/0+$/, "");
  return { negative: sign === "-" && /[1-9]/.test(whole + trimmed), whole: whole.replace(/^0+(?=\d)/, ""), fraction: trimmed };
}

function round({ negative, whole, fraction }: Decimal): Decimal {
  const digits = `${whole}${fraction.slice(0, KOPECK_DIGITS).padEnd(KOPECK_DIGITS, "0")}`;
  const up = (fraction[KOPECK_DIGITS] ?? "0") >= "5";
  const kopecks = (BigInt(digits) + (up ? 1n : 0n)).toString().padStart(KOPECK_DIGITS + 1, "0");
  return { negative, whole: kopecks.slice(0, -KOPECK_DIGITS), fraction: kopecks.slice(-KOPECK_DIGITS) };
}

function write({ negative, whole, fraction }: Decimal, language: Language): string {
  const minus = negative ? "−" : "";
  const digits = fraction.padEnd(KOPECK_DIGITS, "0");
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, language === "ru" ? NBSP : ",");
  return language === "ru" ? `${minus}${grouped},${digits}${NBSP}₽` : `${minus}₽${grouped}.${digits}`;
}
