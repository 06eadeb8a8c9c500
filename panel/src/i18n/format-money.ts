/**
 * Writes amounts of roubles for people, digit by digit from the API's decimal strings: never by way
 * of a float.
 */
import type { Language } from "../../../src/contract/enums/language.ts";

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

/**
 * Which way a sum goes to the kopeck. `down`: what an account has or may still spend, which is
 * never shown as more than it is; `up`: what was spent, held or lost, which is never shown as less.
 */
export type MoneyRounding = "down" | "up";

/**
 * To the kopeck: for sums and balances, where the exact figure is at hand too. What is less than
 * one kopeck says so.
 */
export function formatMoneyBrief(
  amount: string,
  language: Language,
  rounding: MoneyRounding,
): string {
  const exact = read(amount);
  if (exact.whole === "0" && exact.fraction.startsWith("00")) {
    return `${exact.negative ? ">" : "<"}${NBSP}${write({ negative: exact.negative, whole: "0", fraction: "01" }, language)}`;
  }
  return write(round(exact, rounding), language);
}

function read(amount: string): Decimal {
  const match = /^([+-]?)(\d+)(?:\.(\d*))?$/.exec(amount.trim());
  if (match === null) throw new Error(`not an amount: ${amount}`);
  const [, sign, whole = "0", fraction = ""] = match;
  const trimmed = fraction.replace(/0+$/, "");
  return {
    negative: sign === "-" && /[1-9]/.test(whole + trimmed),
    whole: whole.replace(/^0+(?=\d)/, ""),
    fraction: trimmed,
  };
}

function round({ negative, whole, fraction }: Decimal, rounding: MoneyRounding): Decimal {
  const digits = `${whole}${fraction.slice(0, KOPECK_DIGITS).padEnd(KOPECK_DIGITS, "0")}`;
  // Zeros at the end are gone already. Of what is below nothing, downwards is away from it.
  const away = fraction.length > KOPECK_DIGITS && (rounding === "down") === negative;
  const kopecks = (BigInt(digits) + (away ? 1n : 0n)).toString().padStart(KOPECK_DIGITS + 1, "0");
  return {
    negative,
    whole: kopecks.slice(0, -KOPECK_DIGITS),
    fraction: kopecks.slice(-KOPECK_DIGITS),
  };
}

function write({ negative, whole, fraction }: Decimal, language: Language): string {
  const minus = negative ? "−" : "";
  const digits = fraction.padEnd(KOPECK_DIGITS, "0");
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, language === "ru" ? NBSP : ",");
  return language === "ru"
    ? `${minus}${grouped},${digits}${NBSP}₽`
    : `${minus}₽${grouped}.${digits}`;
}
