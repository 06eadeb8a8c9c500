/**
 * Reads the values that people type: amounts, ids, numbers, lists. Null means that it is not one.
 */
import { isUuid } from "../kernel/ids.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";
import { parseRoubles } from "../kernel/money.ts";

/** Above zero. */
export function readAmount(text: string): Nano | null {
  const amount = parseRoubles(text);
  return amount === null || amount <= 0n ? null : amount;
}

export const AMOUNT_HINT =
  "write roubles as a decimal above zero, with a point and at most nine digits after it: 500 or 12.34";

export function readAccountId(text: string): Uuid | null {
  const id = text.trim().toLowerCase();
  return isUuid(id) ? id : null;
}

export const ACCOUNT_HINT = "is not an account's id; `tollgate accounts list` shows them";

export function readWholeNumber(text: string, low: number, high: number): number | null {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return number >= low && number <= high ? number : null;
}

/** `a, b` as its parts; undefined as null. */
export function readList(text: string | undefined): string[] | null {
  return text === undefined ? null : text.split(",").map((part) => part.trim());
}
