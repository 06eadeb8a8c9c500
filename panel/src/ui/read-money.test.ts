/**
 * Protects: every usual spelling of a sum is read as what it says, and what can be read in two
 * ways, or in none, is never guessed.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatMoney } from "../i18n/format-money.ts";
import { formatInput } from "../i18n/format-number.ts";
import { readDecimal } from "./read-decimal.ts";
import { readMoney } from "./read-money.ts";

/** Spaces that texts are pasted with: no-break, thin, narrow no-break, figure. */
const SPACES = [" ", "\u00A0", "\u2009", "\u202F", "\u2007"];

const READ: Readonly<Record<string, string>> = {
  "500": "500",
  " 500 ": "500",
  "+500": "500",
  "007": "7",
  "0": "0",
  "500,5": "500.5",
  "500.50": "500.5",
  ".5": "0.5",
  ",5": "0.5",
  "5.": "5",
  "5,": "5",
  "0,125": "0.125",
  "0.005": "0.005",
  "1234.567": "1234.567",
  "1.2340": "1.234",
  "1,00": "1",
  "1 000": "1000",
  "1 000 ₽": "1000",
  "1000₽": "1000",
  "₽1000": "1000",
  "₽ 1 000": "1000",
  "₽1,000.00": "1000",
  "1000 руб.": "1000",
  "1000 руб": "1000",
  "1000 РУБ.": "1000",
  "1000 рублей": "1000",
  "1 рубль": "1",
  "2 рубля": "2",
  "1000р": "1000",
  "1000 р.": "1000",
  "1000p": "1000",
  "RUB 1000": "1000",
  "1000 RUB": "1000",
  "1000rub": "1000",
  "1000 roubles": "1000",
  "3 000,00 ₽": "3000",
  "3 000,00": "3000",
  "3 000,000 ₽": "3000",
  "1 234 567,89 ₽": "1234567.89",
  "2,500.00": "2500",
  "5.000,00": "5000",
  "1.234,567": "1234.567",
  "1,234,567.89": "1234567.89",
  "1.234.567,89": "1234567.89",
  "1.000.000": "1000000",
  "1,000,000": "1000000",
  "1'000": "1000",
  "1’000.50": "1000.5",
  "1_000": "1000",
  "1_000_000.5": "1000000.5",
  "1 000 руб. 50 коп.": "1000.5",
  "1 000 рублей 5 копеек": "1000.05",
  "1.000 руб. 50 коп.": "1000.5",
  "999р 99к": "999.99",
  "\u200E1 000\u200F ₽": "1000",
  "\uFEFF500": "500",
  "9999999999.999999999": "9999999999.999999999",
};

const AMBIGUOUS: Readonly<Record<string, readonly [whole: string, fraction: string]>> = {
  "1.000": ["1000", "1"],
  "1,000": ["1000", "1"],
  "1.000 ₽": ["1000", "1"],
  "RUB 1,500": ["1500", "1.5"],
  "12.345": ["12345", "12.345"],
  "999,999": ["999999", "999.999"],
};

const UNREAD: Readonly<Record<string, string>> = {
  Infinity: "no-number",
  NaN: "no-number",
  "1e3": "no-number",
  "0x10": "no-number",
  тысяча: "no-number",
  "1 тыс.": "no-number",
  "1к": "no-number",
  "10%": "no-number",
  "~1000": "no-number",
  "500-1000": "no-number",
  "Итого: 1 000 ₽": "no-number",
  "1 000 ₽ в месяц": "no-number",
  "1 00 ₽": "no-number",
  "1 0000": "no-number",
  "0 500": "no-number",
  "1,00,000": "no-number",
  "1,000,00": "no-number",
  "1.000.00": "no-number",
  "1 000'000": "no-number",
  "1..5": "no-number",
  "1,2.3": "no-number",
  "22.11.2026": "no-number",
  "127.0.0.1": "no-number",
  "₽": "no-number",
  ".": "no-number",
  "-": "no-number",
  "--5": "no-number",
  "₽5₽": "no-number",
  "10²": "no-number",
  "१०००": "no-number",
  "-5": "negative",
  "−5 ₽": "negative",
  "12345678901": "too-long",
  "0.0000000001": "too-precise",
  $100: "other-currency",
  "100 €": "other-currency",
  "USD 100": "other-currency",
  "100 долларов": "other-currency",
};

test("every usual spelling of a sum is read as the sum that it says, whichever space it was pasted with", () => {
  for (const [text, decimal] of Object.entries(READ)) {
    for (const space of SPACES) {
      assert.deepEqual(
        readMoney(text.replaceAll(" ", space), false),
        { kind: "decimal", decimal },
        JSON.stringify(text),
      );
    }
  }
  for (const nothing of ["", " ", "\u00A0\u200B"])
    assert.deepEqual(readMoney(nothing, false), { kind: "empty" });
});

test("one mark and three digits are a thousand or one: both are told, none is taken", () => {
  for (const [text, [whole, fraction]] of Object.entries(AMBIGUOUS)) {
    assert.deepEqual(readMoney(text, false), { kind: "ambiguous", whole, fraction }, text);
  }
});

test("what is no sum of roubles is refused by its reason, never half read", () => {
  for (const [text, why] of Object.entries(UNREAD))
    assert.deepEqual(readMoney(text, false), { kind: "unread", why }, text);
});

test("a correction may be below nothing, whichever minus it is written with", () => {
  for (const text of ["-34,5", "−34,5", "–34.50 ₽", "- 34,5 руб."]) {
    assert.deepEqual(readMoney(text, true), { kind: "decimal", decimal: "-34.5" }, text);
  }
  assert.deepEqual(readMoney("-0,00", true), { kind: "decimal", decimal: "0" });
});

test("whatever the panel writes of a sum, in an amount or back into a field, is read as that sum", () => {
  const sums = [
    "0",
    "1",
    "12.5",
    "1.234",
    "999.999",
    "1000",
    "1000.001",
    "1234567.89",
    "0.125",
    "12.345678901",
    "9999999999.999999999",
  ];
  for (const sum of [...sums, ...sums.map((one) => (one === "0" ? one : `-${one}`))]) {
    for (const language of ["ru", "en"] as const) {
      assert.deepEqual(
        readMoney(formatInput(sum, language), true),
        { kind: "decimal", decimal: sum },
        formatInput(sum, language),
      );
      // An amount without thousands and with three digits of fraction is the one that has two
      // readings.
      const shown = formatMoney(sum, language);
      const reading = readMoney(shown, true);
      if (reading.kind === "ambiguous") assert.equal(reading.fraction, sum, shown);
      else assert.deepEqual(reading, { kind: "decimal", decimal: sum }, shown);
    }
  }
});

test("where thousands are not told by points and commas, these begin a fraction", () => {
  const shape = { negative: true, wholeDigits: 15, fractionDigits: 15, thousands: false };
  assert.deepEqual(readDecimal("1.125", shape), { kind: "decimal", decimal: "1.125" });
  assert.deepEqual(readDecimal("0,7", shape), { kind: "decimal", decimal: "0.7" });
  assert.deepEqual(readDecimal("1,000.5", shape), { kind: "unread", why: "no-number" });
});
