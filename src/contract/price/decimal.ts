/** Exact decimal numbers: quantities and factors of a task price. */

/** An exact decimal number: `digits` / 10^`scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/**
 * Reads `12`, `0.75`: no sign, no exponent, at most nine digits before and after the point. Null
 * when the text is none.
 */
export function parseDecimal(text: string): Decimal | null {
  const match = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text);
  if (match === null) return null;
  const fraction = match[2] ?? "";
  return { digits: BigInt((match[1] ?? "") + fraction), scale: fraction.length };
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, scale: a.scale + b.scale };
}

/** The shortest exact form: `12`, `0.75`. Not below zero. */
export function decimalText({ digits, scale }: Decimal): string {
  const text = digits.toString().padStart(scale + 1, "0");
  const point = text.length - scale;
  const fraction = text.slice(point).replace(/0+$/, "");
  return fraction === "" ? text.slice(0, point) : `${text.slice(0, point)}.${fraction}`;
}
