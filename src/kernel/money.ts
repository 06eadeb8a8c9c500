/**
 * Money inside the program: whole nano-roubles in a branded bigint, decimal rouble strings at the
 * edges.
 */

declare const nanoBrand: unique symbol;

/**
 * An amount in nano-roubles (1 RUB = 1_000_000_000). Always an integer, may be negative in
 * differences.
 */
export type Nano = bigint & { readonly [nanoBrand]: true };

export const NANO_PER_ROUBLE = 1_000_000_000n;
const FRACTION_DIGITS = 9;
/** PostgreSQL `bigint` is the storage type, so no single amount may leave its range. */
const MAX_NANO = 9_223_372_036_854_775_807n;

export const ZERO_NANO = 0n as Nano;

/** Brands a bigint that the caller knows to be nano-roubles. */
export function nano(value: bigint): Nano {
  if (value > MAX_NANO || value < -MAX_NANO) throw new RangeError("amount is out of range");
  return value as Nano;
}

/**
 * Reads a decimal rouble string such as `"12.34"`: optional sign, digits, at most nine fraction
 * digits. Returns null when the text is not such a number or does not fit; never rounds.
 */
export function parseRoubles(text: string): Nano | null {
  const match = /^(-?)(\d{1,10})(?:\.(\d{1,9}))?$/.exec(text);
  if (match === null) return null;
  const whole = BigInt(match[2] ?? "0") * NANO_PER_ROUBLE;
  const fraction = BigInt((match[3] ?? "").padEnd(FRACTION_DIGITS, "0"));
  const value = whole + fraction;
  if (value > MAX_NANO) return null;
  return (match[1] === "-" ? -value : value) as Nano;
}

/** Writes nano-roubles as the shortest exact decimal string: `"12.34"`, `"0"`, `"-0.000000001"`. */
export function formatRoubles(amount: Nano): string {
  const negative = amount < 0n;
  const digits = (negative ? -amount : amount).toString().padStart(FRACTION_DIGITS + 1, "0");
  const point = digits.length - FRACTION_DIGITS;
  let end = digits.length;
  while (end > point && digits[end - 1] === "0") end -= 1;
  const text =
    end === point
      ? digits.slice(0, point)
      : `${digits.slice(0, point)}.${digits.slice(point, end)}`;
  return negative ? `-${text}` : text;
}

/**
 * Divides non-negative integers rounding up: the one rounding rule of a price, applied once at its
 * end.
 */
export function divideUp(numerator: bigint, denominator: bigint): bigint {
  if (numerator < 0n || denominator <= 0n)
    throw new RangeError("divideUp takes a non-negative numerator and a positive denominator");
  return (numerator + denominator - 1n) / denominator;
}

export function minNano(a: Nano, b: Nano): Nano {
  return a < b ? a : b;
}

export function maxNano(a: Nano, b: Nano): Nano {
  return a > b ? a : b;
}
