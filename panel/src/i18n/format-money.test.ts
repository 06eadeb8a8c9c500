/** Protects: every amount that the panel shows is the amount of the ledger, digit by digit. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMoney, formatMoneyBrief } from "./format-money.ts";

/** With ordinary spaces, to be read. */
const plain = (text: string): string => text.replaceAll("\u00A0", " ");

test("an amount keeps every digit, has its kopecks, and is grouped by thousands", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["1234.5", "1 234,50 ₽", "₽1,234.50"],
    ["0", "0,00 ₽", "₽0.00"],
    ["-0.00", "0,00 ₽", "₽0.00"],
    ["0.000125000", "0,000125 ₽", "₽0.000125"],
    ["-1234567.1", "−1 234 567,10 ₽", "−₽1,234,567.10"],
    ["9007199254740993.123456789", "9 007 199 254 740 993,123456789 ₽", "₽9,007,199,254,740,993.123456789"],
    ["+007", "7,00 ₽", "₽7.00"],
  ];
  for (const [amount, ru, en] of cases) {
    assert.equal(plain(formatMoney(amount, "ru")), ru);
    assert.equal(formatMoney(amount, "en"), en);
  }
});

test("a brief amount is rounded at the kopeck, and never shows nothing where there is something", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["1234.564999999", "1 234,56 ₽"],
    ["1234.565", "1 234,57 ₽"],
    ["0.995", "1,00 ₽"],
    ["999.999", "1 000,00 ₽"],
    ["-12.345", "−12,35 ₽"],
    ["0.004", "< 0,01 ₽"],
    ["-0.004", "> −0,01 ₽"],
    ["0.000", "0,00 ₽"],
  ];
  for (const [amount, ru] of cases) assert.equal(plain(formatMoneyBrief(amount, "ru")), ru);
});

test("what is no amount is refused, not shown as something else", () => {
  for (const text of ["", "1e3", "1,5", "NaN", "0x1", "1.2.3"]) assert.throws(() => formatMoney(text, "ru"), /not an amount/);
});
