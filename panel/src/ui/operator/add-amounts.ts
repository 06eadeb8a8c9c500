/**
 * Adds amounts of roubles digit by digit, so that an operator sees what a balance will be before
 * money moves.
 */

const DIGITS = 9;
const SHAPE = /^(-?)(\d+)(?:\.(\d{0,9}))?$/;

/** Both as the API writes them; a half-typed one is null. */
export function addAmounts(a: string, b: string): string | null {
  const [first, second] = [readAmount(a), readAmount(b)];
  return first === null || second === null ? null : writeAmount(first + second);
}

/** In billionths of a rouble; null where it is no amount. */
export function readAmount(text: string): bigint | null {
  const match = SHAPE.exec(text);
  if (match === null) return null;
  const [, sign, whole = "0", fraction = ""] = match;
  const nano = BigInt(whole + fraction.padEnd(DIGITS, "0"));
  return sign === "-" ? -nano : nano;
}

/** Without the minus. */
export function sizeOfAmount(amount: string): string {
  return amount.replace(/^-/, "");
}

function writeAmount(nano: bigint): string {
  const digits = (nano < 0n ? -nano : nano).toString().padStart(DIGITS + 1, "0");
  const fraction = digits.slice(-DIGITS).replace(/0+$/, "");
  return `${nano < 0n ? "-" : ""}${digits.slice(0, -DIGITS)}${fraction === "" ? "" : `.${fraction}`}`;
}
