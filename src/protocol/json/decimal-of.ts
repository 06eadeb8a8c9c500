/** Decimal numbers of other people's JSON, exact as they are written: texts, and numbers that were parsed. */

/** `digits` / 10^`scale`; below zero where `digits` are. */
export interface SignedDecimal {
  readonly digits: bigint;
  readonly scale: number;
}

const FORM = /^(-?)(\d{1,30})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/;

/** Null for whatever is none. */
export function decimalOf(value: unknown): SignedDecimal | null {
  // A number is written with as many digits as tell it from its neighbours: what was sent, of money.
  const text = typeof value === "number" ? String(value) : value;
  const match = typeof text === "string" ? FORM.exec(text.trim()) : null;
  if (match === null) return null;
  const [, sign, whole = "0", fraction = "", exponent = "0"] = match;
  const digits = BigInt(whole + fraction) * (sign === "-" ? -1n : 1n);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/** In billionths, rounded down. */
export function billionthsOf({ digits, scale }: SignedDecimal, parts = 1n): bigint {
  const [above, below] = [digits * 1_000_000_000n, 10n ** BigInt(scale) * parts];
  return above / below - (above < 0n && above % below !== 0n ? 1n : 0n);
}
