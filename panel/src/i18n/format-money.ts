/**
 * Writes amounts of roubles for people, digit by digit from the API's decimal strings: never by way
 * of a float.
 */
import type { Language } from "../../../src/contract/enums/language.ts";

const KOPECK_DIGITS = 2;
/** What is below a rouble is nearly all of a charge. */
const CHARGE_DIGITS = 4;
const NBSP = "\u00A0";

interface Decimal {
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
}

/** An amount in the parts of which some step back, without the sign of the rouble. */
export interface MoneyParts {
  /** `−`, or that it is less than what follows. */
  readonly before: string;
  readonly whole: string;
  /** With its comma; empty where there are none to tell. */
  readonly fraction: string;
}

/**
 * Which way a sum is rounded. `down`: what an account has or may still spend, which is never shown
 * as more than it is; `up`: what was spent, held or lost, which is never shown as less.
 */
export type MoneyRounding = "down" | "up";

/** Every digit that there is, kopecks at least: `1 234,50 ₽`, `0,000125 ₽`. */
export function formatMoney(amount: string, language: Language): string {
  return withSign(moneyParts(amount, language), language);
}

/**
 * To the kopeck: for sums and balances, where the exact figure is at hand too. What is less than
 * one kopeck says so.
 */
export function formatMoneyBrief(
  amount: string,
  language: Language,
  rounding: MoneyRounding,
): string {
  return withSign(moneyBriefParts(amount, language, rounding), language);
}

/** Of a limit or a sum to choose: roubles, and kopecks only where it has some. */
export function formatMoneyWhole(amount: string, language: Language): string {
  const exact = read(amount);
  return withSign(
    exact.fraction === "" ? write(exact, language, 0) : moneyParts(amount, language),
    language,
  );
}

/** Of a list of prices: all digits that there are, and no others. */
export function priceParts(amount: string, language: Language): MoneyParts {
  return write(read(amount), language, 0);
}

/** Of prices below each other: how many digits the longest has behind its comma. */
export function pricePlaces(amounts: readonly string[]): number {
  return Math.max(0, ...amounts.map((amount) => read(amount).fraction.length));
}

export function moneyParts(amount: string, language: Language): MoneyParts {
  return write(read(amount), language);
}

export function moneyBriefParts(
  amount: string,
  language: Language,
  rounding: MoneyRounding,
): MoneyParts {
  return rounded(read(amount), language, rounding, KOPECK_DIGITS);
}

/**
 * Of one request in a list: to the kopeck from a rouble on, below it to the hundredth of a kopeck,
 * upwards.
 */
export function chargeParts(amount: string, language: Language): MoneyParts {
  const exact = read(amount);
  // What comes to a rouble by being rounded is written as one.
  const fine = round(exact, "up", CHARGE_DIGITS);
  const small = exact.whole === "0" && fine.whole === "0" && fine.fraction !== "0000";
  return small
    ? rounded(exact, language, "up", CHARGE_DIGITS)
    : rounded(exact, language, "up", KOPECK_DIGITS);
}

/** Of sums below each other: how many digits the longest has behind its comma. */
export function mostPlaces(amounts: readonly string[]): number {
  return Math.max(KOPECK_DIGITS, ...amounts.map(placesOf));
}

/** How many digits stand behind its comma. */
export function placesOf(amount: string): number {
  return Math.max(read(amount).fraction.length, KOPECK_DIGITS);
}

/** As the language has it: `6 883,00 ₽`, `₽6,883.00`. */
export function withSign({ before, whole, fraction }: MoneyParts, language: Language): string {
  return language === "ru"
    ? `${before}${whole}${fraction}${NBSP}₽`
    : `${before}₽${whole}${fraction}`;
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

function rounded(
  exact: Decimal,
  language: Language,
  rounding: MoneyRounding,
  digits: number,
): MoneyParts {
  const nothing = "0".repeat(digits);
  if (exact.whole === "0" && exact.fraction.startsWith(nothing)) {
    const least = { negative: exact.negative, whole: "0", fraction: `${nothing.slice(1)}1` };
    const parts = write(least, language);
    return { ...parts, before: `${exact.negative ? ">" : "<"}${NBSP}${parts.before}` };
  }
  return write(round(exact, rounding, digits), language);
}

function round(
  { negative, whole, fraction }: Decimal,
  rounding: MoneyRounding,
  digits: number,
): Decimal {
  const kept = `${whole}${fraction.slice(0, digits).padEnd(digits, "0")}`;
  // Zeros at the end are gone already. Of what is below nothing, downwards is away from it.
  const away = fraction.length > digits && (rounding === "down") === negative;
  const units = (BigInt(kept) + (away ? 1n : 0n)).toString().padStart(digits + 1, "0");
  return { negative, whole: units.slice(0, -digits), fraction: units.slice(-digits) };
}

function write(
  { negative, whole, fraction }: Decimal,
  language: Language,
  leastDigits = KOPECK_DIGITS,
): MoneyParts {
  const digits = fraction.padEnd(leastDigits, "0");
  return {
    before: negative ? "−" : "",
    whole: whole.replaceAll(/\B(?=(\d{3})+$)/g, language === "ru" ? NBSP : ","),
    fraction: digits === "" ? "" : `${language === "ru" ? "," : "."}${digits}`,
  };
}
