/**
 * Reads a number as people write and paste it: grouped by spaces, apostrophes, points or commas,
 * with a decimal point or comma. Never guesses.
 */

export type NotRead = "no-number" | "negative" | "too-precise" | "too-long";

export type DecimalReading =
  | { readonly kind: "empty" }
  /** `decimal`: digits, and a point where there is a fraction, as the API takes it. */
  | { readonly kind: "decimal"; readonly decimal: string }
  /** One mark and three digits after it, as in `1.000`: a thousand or one. Both as decimals. */
  | { readonly kind: "ambiguous"; readonly whole: string; readonly fraction: string }
  | { readonly kind: "unread"; readonly why: NotRead };

export interface DecimalShape {
  readonly negative: boolean;
  /** The most digits before the point, and after it. */
  readonly wholeDigits: number;
  readonly fractionDigits: number;
  /**
   * Whether a point or a comma may stand between thousands; where it may not, it always begins a
   * fraction.
   */
  readonly thousands: boolean;
}

/** What no reader sees: direction marks, joiners, the byte order mark. */
const UNSEEN = /[\u200B-\u200F\u2060-\u2064\u202A-\u202E\u2066-\u2069\uFEFF]/g;
const MINUS = /^[-\u2012\u2013\u2212]\s*/;
/** Digits and marks; the integer part of a number whose thousands are told by one mark. */
const GROUPED = /^[1-9]\d{0,2}(?:([ '_.,])\d{3})(?:\1\d{3})*$/;
const AMBIGUOUS = /^([1-9]\d{0,2})[.,](\d{3})$/;

export function cleaned(text: string): string {
  return text
    .replaceAll(UNSEEN, "")
    .replaceAll(/\s/g, " ")
    .replaceAll(/[’ʼ´`]/g, "'")
    .trim();
}

export function readDecimal(text: string, shape: DecimalShape): DecimalReading {
  const signed = cleaned(text);
  if (signed === "") return { kind: "empty" };
  const minus = MINUS.test(signed) ? "-" : "";
  const body = signed.replace(MINUS, "").replace(/^\+\s*/, "");
  const ambiguous = shape.thousands ? AMBIGUOUS.exec(body) : null;
  if (ambiguous !== null) {
    const [, whole = "", rest = ""] = ambiguous;
    return {
      kind: "ambiguous",
      whole: `${minus}${whole}${rest}`,
      fraction: writeDecimal(minus, whole, rest),
    };
  }
  const parts = split(body, shape.thousands);
  if (parts === null) return { kind: "unread", why: "no-number" };
  const decimal = writeDecimal(minus, parts.whole, parts.fraction);
  if (decimal.startsWith("-") && !shape.negative) return { kind: "unread", why: "negative" };
  const [whole = "", fraction = ""] = decimal.replace("-", "").split(".");
  if (whole.length > shape.wholeDigits) return { kind: "unread", why: "too-long" };
  if (fraction.length > shape.fractionDigits) return { kind: "unread", why: "too-precise" };
  return { kind: "decimal", decimal };
}

/** The digits before and after the decimal mark; null where that is no number. */
function split(
  body: string,
  thousands: boolean,
): { readonly whole: string; readonly fraction: string } | null {
  if (!/\d/.test(body)) return null;
  // The last mark is the decimal one, unless it stands between thousands, as in 1.000.000.
  for (const [whole, fraction] of [[body, ""], ...cutAtLastMark(body)] as const) {
    const digits = readWhole(whole, thousands);
    if (digits !== null && /^\d*$/.test(fraction)) return { whole: digits, fraction };
  }
  return null;
}

function cutAtLastMark(body: string): readonly (readonly [string, string])[] {
  const at = Math.max(body.lastIndexOf("."), body.lastIndexOf(","));
  if (at === -1) return [];
  // 1,000,00 has one mark for two things.
  return GROUPED.exec(body.slice(0, at))?.[1] === body[at]
    ? []
    : [[body.slice(0, at), body.slice(at + 1)]];
}

function readWhole(whole: string, thousands: boolean): string | null {
  if (/^\d*$/.test(whole)) return whole;
  const mark = GROUPED.exec(whole)?.[1];
  if (mark === undefined || (!thousands && (mark === "." || mark === ","))) return null;
  return whole.replaceAll(mark, "");
}

/** In the shortest form. */
function writeDecimal(minus: string, whole: string, fraction: string): string {
  const digits = whole.replace(/^0+(?=\d)/, "") || "0";
  const rest = fraction.replace(/0+$/, "");
  const size = rest === "" ? digits : `${digits}.${rest}`;
  return size === "0" ? "0" : `${minus}${size}`;
}
