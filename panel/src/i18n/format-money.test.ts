/** Protects: every amount that the panel shows is the amount of the ledger, digit by digit. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  chargeParts,
  formatMoney,
  formatMoneyBrief,
  formatMoneyWhole,
  mostPlaces,
  placesOf,
} from "./format-money.ts";

/** With ordinary spaces, to be read. */
const plain = (text: string): string => text.replaceAll("\u00A0", " ");

test("an amount keeps every digit, has its kopecks, and is grouped by thousands", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["1234.5", "1 234,50 ₽", "₽1,234.50"],
    ["0", "0,00 ₽", "₽0.00"],
    ["-0.00", "0,00 ₽", "₽0.00"],
    ["0.000125000", "0,000125 ₽", "₽0.000125"],
    ["-1234567.1", "−1 234 567,10 ₽", "−₽1,234,567.10"],
    [
      "9007199254740993.123456789",
      "9 007 199 254 740 993,123456789 ₽",
      "₽9,007,199,254,740,993.123456789",
    ],
    ["+007", "7,00 ₽", "₽7.00"],
  ];
  for (const [amount, ru, en] of cases) {
    assert.equal(plain(formatMoney(amount, "ru")), ru);
    assert.equal(formatMoney(amount, "en"), en);
  }
});

test("to the kopeck, what an account has is never shown as more than it is, and what was spent never as less", () => {
  const cases: readonly (readonly [amount: string, down: string, up: string])[] = [
    ["1234.56", "1 234,56 ₽", "1 234,56 ₽"],
    ["1234.5600", "1 234,56 ₽", "1 234,56 ₽"],
    ["1234.560000001", "1 234,56 ₽", "1 234,57 ₽"],
    ["1234.565", "1 234,56 ₽", "1 234,57 ₽"],
    ["0.005", "< 0,01 ₽", "< 0,01 ₽"],
    ["0.015", "0,01 ₽", "0,02 ₽"],
    ["0.995", "0,99 ₽", "1,00 ₽"],
    ["999.999999999", "999,99 ₽", "1 000,00 ₽"],
    // A debt is the greater the lower it is.
    ["-12.345", "−12,35 ₽", "−12,34 ₽"],
    ["-999.995", "−1 000,00 ₽", "−999,99 ₽"],
    ["-0.01", "−0,01 ₽", "−0,01 ₽"],
    // More kopecks than a float counts.
    ["90071992547409.935000001", "90 071 992 547 409,93 ₽", "90 071 992 547 409,94 ₽"],
    [
      "-123456789012345678901234567890.999",
      "−123 456 789 012 345 678 901 234 567 891,00 ₽",
      "−123 456 789 012 345 678 901 234 567 890,99 ₽",
    ],
  ];
  for (const [amount, down, up] of cases) {
    assert.equal(plain(formatMoneyBrief(amount, "ru", "down")), down, `${amount} down`);
    assert.equal(plain(formatMoneyBrief(amount, "ru", "up")), up, `${amount} up`);
  }
});

test("less than a kopeck is neither nothing nor a whole one", () => {
  for (const rounding of ["down", "up"] as const) {
    for (const amount of ["0.000000001", "0.004", "0.009999999"]) {
      assert.equal(plain(formatMoneyBrief(amount, "ru", rounding)), "< 0,01 ₽");
      assert.equal(plain(formatMoneyBrief(`-${amount}`, "en", rounding)), "> −₽0.01");
    }
    assert.equal(plain(formatMoneyBrief("-0.000", "ru", rounding)), "0,00 ₽");
  }
});

test("what is no amount is refused, not shown as something else", () => {
  for (const text of ["", "1e3", "1,5", "NaN", "0x1", "1.2.3"])
    assert.throws(() => formatMoney(text, "ru"), /not an amount/);
});

test("a charge in a list has four digits below a rouble and two from there on, never less than was taken", () => {
  const cases: readonly (readonly [amount: string, shown: string])[] = [
    ["0.04515", "0,0452"],
    ["0.0002", "0,0002"],
    ["0.00001", "< 0,0001"],
    ["0.5", "0,5000"],
    ["0.9999", "0,9999"],
    ["0.99991", "1,00"],
    ["1", "1,00"],
    ["28.001", "28,01"],
    ["12345.6", "12 345,60"],
    ["0", "0,00"],
  ];
  for (const [amount, shown] of cases) {
    const { before, whole, fraction } = chargeParts(amount, "ru");
    assert.equal(plain(`${before}${whole}${fraction}`), shown, amount);
  }
});

test("a limit is whole roubles, and keeps its kopecks where it has some", () => {
  assert.equal(plain(formatMoneyWhole("5000", "ru")), "5 000 ₽");
  assert.equal(plain(formatMoneyWhole("5000.00", "ru")), "5 000 ₽");
  assert.equal(plain(formatMoneyWhole("99.5", "ru")), "99,50 ₽");
  assert.equal(formatMoneyWhole("1000000", "en"), "₽1,000,000");
});

test("exact sums below each other know how many digits the longest has", () => {
  assert.deepEqual(["1", "0.5", "0.125", "0.000000001", "3.10000"].map(placesOf), [2, 2, 3, 9, 2]);
  assert.equal(mostPlaces(["1", "0.125"]), 3);
  assert.equal(mostPlaces([]), 2);
});
