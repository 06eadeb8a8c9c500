/**
 * By how much a price changes, and whether that is so much that it has to be confirmed: counted
 * alike by the server and the pages.
 */
import { assert } from "../../kernel/assert.ts";
import { parseRoubles, type Nano } from "../../kernel/money.ts";
import type { PriceStep } from "./price-step.ts";

/** Of what the price was, up or down: a change of so much is more often a slip than a decision. */
export const BIG_CHANGE_PERCENT = 50n;

export type ChangeOf = Pick<PriceStep, "percent" | "big">;

/** Of two amounts that differ. */
export function changeOf(beforeNano: Nano, afterNano: Nano): ChangeOf {
  // What was given away, or will be, is no matter of percent.
  if (beforeNano === 0n) return { percent: null, big: true };
  const difference = afterNano - beforeNano;
  const size = difference < 0n ? -difference : difference;
  // Cut off, so that 49.99 is not shown as the 50.0 that it is not; nothing that changes shows 0.0.
  const cut = (size * 1_000n) / beforeNano;
  const count = cut === 0n ? 1n : cut;
  return {
    percent: `${difference < 0n ? "-" : ""}${count / 10n}.${count % 10n}`,
    big: size * 100n >= beforeNano * BIG_CHANGE_PERCENT,
  };
}

/** The same of decimal roubles; null where they are the same amount. */
export function changeOfAmounts(before: string, after: string): ChangeOf | null {
  const [beforeNano, afterNano] = [parseRoubles(before), parseRoubles(after)];
  assert(beforeNano !== null && afterNano !== null, "an amount is a decimal of roubles");
  return beforeNano === afterNano ? null : changeOf(beforeNano, afterNano);
}
