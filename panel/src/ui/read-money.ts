/**
 * Reads an amount of roubles as people write and paste it: `1 000 ₽`, `3 000,00 руб`,
 * `RUB 2,500.00`, `1 000 руб 50 коп`.
 */
import { cleaned, readDecimal, type DecimalReading, type NotRead } from "./read-decimal.ts";

export type MoneyReading =
  | DecimalReading
  | { readonly kind: "unread"; readonly why: NotRead | "other-currency" };

/** A number of nano-roubles that fits 64 bits has at most ten digits of roubles. */
const WHOLE_DIGITS = 10;
const FRACTION_DIGITS = 9;

const ROUBLES = String.raw`(?:₽|руб(?:\.|ль|ля|лей|лях|ли)?|[рp]\.?|rub(?:\.|les?)?|roubles?|rur)`;
const BEFORE = new RegExp(`^([-−–+]?)\\s*${ROUBLES}\\s*(?=[-−–+\\d.,])`, "iu");
const AFTER = new RegExp(`(?<=[\\d.,])\\s*${ROUBLES}$`, "iu");
const KOPECKS = new RegExp(
  `^(.*\\d)\\s*${ROUBLES}\\s*(\\d{1,2})\\s*(?:коп(?:\\.|еек|ейки|ейка)?|к\\.?)$`,
  "iu",
);
const OTHER_CURRENCY =
  /[$€£¥₸₴₿]|\b(?:usd|eur|gbp|cny|kzt|byn|uah|dollars?|euros?)\b|долл|евро|тенге|юан/iu;

export function readMoney(text: string, negative: boolean): MoneyReading {
  const shape = {
    negative,
    wholeDigits: WHOLE_DIGITS,
    fractionDigits: FRACTION_DIGITS,
    thousands: true,
  };
  const whole = cleaned(text);
  if (OTHER_CURRENCY.test(whole)) return { kind: "unread", why: "other-currency" };
  const [, roubles, kopecks] = KOPECKS.exec(whole) ?? [];
  if (roubles !== undefined && kopecks !== undefined) {
    // A group of thousands is one here: kopecks are told apart.
    const read = readDecimal(`${roubles},0`, { ...shape, fractionDigits: 0 });
    return read.kind === "decimal"
      ? readDecimal(`${read.decimal},${kopecks.padStart(2, "0")}`, shape)
      : read;
  }
  // Of the two places for the currency, one.
  return readDecimal(
    AFTER.test(whole) ? whole.replace(AFTER, "") : whole.replace(BEFORE, "$1"),
    shape,
  );
}
