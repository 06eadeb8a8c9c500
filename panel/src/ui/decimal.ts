/** Exact sums and products of decimal strings: amounts of money never become floats. */

/** As many places as the API ever writes. */
const PLACES = 15;
const ONE = 10n ** BigInt(PLACES);

/** In 10⁻¹⁵. */
export function toUnits(decimal: string): bigint {
  const match = /^(-?)(\d+)(?:\.(\d{1,15})0*)?$/.exec(decimal);
  if (match === null) throw new Error(`not a decimal: ${decimal}`);
  const [, sign, whole = "0", fraction = ""] = match;
  const units = BigInt(whole) * ONE + BigInt(fraction.padEnd(PLACES, "0"));
  return sign === "-" ? -units : units;
}

export function fromUnits(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(PLACES + 1, "0");
  const fraction = digits.slice(-PLACES).replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${digits.slice(0, -PLACES)}${fraction === "" ? "" : `.${fraction}`}`;
}

/** `whole` less the sum of `parts`; not below 0. */
export function restOf(whole: string, parts: readonly string[]): string {
  const left = parts.reduce((units, part) => units - toUnits(part), toUnits(whole));
  return fromUnits(left < 0n ? 0n : left);
}

export function sumOf(amounts: readonly string[]): string {
  return fromUnits(amounts.reduce((units, amount) => units + toUnits(amount), 0n));
}

/** For sorting. */
export function compareDecimals(a: string, b: string): number {
  const difference = toUnits(a) - toUnits(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
