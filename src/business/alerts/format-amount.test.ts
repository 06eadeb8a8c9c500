/** Protects: amounts in mails are exact to the kopeck, as each language writes them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nano } from "../../kernel/money.ts";
import { formatAmount } from "./format-amount.ts";

test("roubles are grouped, kopecks have both digits or are left out, and less than a kopeck is not rounded up", () => {
  for (const [amount, russian, english] of [
    [0n, "0 ₽", "₽0"],
    [500_000_000_000n, "500 ₽", "₽500"],
    [1_234_500_000_000n, "1 234,50 ₽", "₽1,234.50"],
    [1_000_000_000_000_000n, "1 000 000 ₽", "₽1,000,000"],
    [99_999_999_999n, "99,99 ₽", "₽99.99"],
    [9_000_000n, "0 ₽", "₽0"],
    [-12_340_000_000n, "−12,34 ₽", "−₽12.34"],
  ] as const) {
    assert.equal(formatAmount(nano(amount), "ru").replaceAll("\u00a0", " "), russian);
    assert.equal(formatAmount(nano(amount), "en"), english);
  }
});
