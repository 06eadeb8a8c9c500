/**
 * How far a task is, how many stand before it and what it cost, where a provider tells and the
 * figure can be believed.
 */

/** 0 to 1. */
export function readProgress(value: unknown, of: number): number | null {
  const number =
    typeof value === "string" && /^\d{1,3}(?:\.\d{1,9})?%?$/.test(value.trim())
      ? Number(value.trim().replace("%", ""))
      : value;
  if (typeof number !== "number" || !(number >= 0)) return null;
  return Math.min(number / of, 1);
}

export function readQueuePosition(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** The amount as it was written, without an exponent; never computed with. */
export function readCost(
  value: unknown,
  unit: string,
): { readonly amount: string; readonly unit: string } | null {
  const text =
    typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  return /^\d{1,15}(?:\.\d{1,15})?$/.test(text) ? { amount: text, unit } : null;
}
