/** Which part of a written figure tells its size. Pure. */

const SIGN = "₽";

/**
 * What stands before it, the size with its own sign, and what follows: `["", "6 883", ",00 ₽"]`,
 * `["₽", "6,883", ".00"]`, `["", "21,5", " млн"]`. Null: it is not one figure.
 */
export function stepsOf(
  text: string,
): readonly [before: string, size: string, rest: string] | null {
  const match = /^(₽?)([−+<>≈×\s]*\d[\d\s,.]*?)([,.]\d{2})?(\D*)$/u.exec(text);
  if (match === null) return null;
  const [, before = "", whole = "", last = "", after = ""] = match;
  const unit = /^\s*$/u.test(after) ? "" : after;
  // Of a sum alone are the last two digits the small coin.
  return before === SIGN || unit.includes(SIGN)
    ? [before, whole, `${last}${unit}`]
    : [before, `${whole}${last}`, unit];
}
