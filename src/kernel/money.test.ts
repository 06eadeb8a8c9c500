/** Guards exact money: text to nano-roubles and back without loss, no float, one rounding rule. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { divideUp, formatRoubles, maxNano, minNano, nano, parseRoubles } from "./money.ts";

const MAX = 9_223_372_036_854_775_807n;
const amounts = fc.bigInt({ min: -MAX, max: MAX });

test("every amount survives being written and read", () => {
  fc.assert(fc.property(amounts, (value) => parseRoubles(formatRoubles(nano(value))) === value));
});

test("an amount is written as the shortest decimal: no trailing zeros, no exponent", () => {
  for (const [value, text] of [
    [0n, "0"],
    [1n, "0.000000001"],
    [-1n, "-0.000000001"],
    [12_340_000_000n, "12.34"],
    [-500_000_000n, "-0.5"],
    [1_000_000_000n, "1"],
    [MAX, "9223372036.854775807"],
  ] as const) {
    assert.equal(formatRoubles(nano(value)), text);
  }
  fc.assert(
    fc.property(amounts, (value) => /^-?\d+(?:\.\d{0,8}[1-9])?$/.test(formatRoubles(nano(value)))),
  );
});

test("only plain decimals with at most nine fraction digits are amounts; nothing is rounded", () => {
  for (const text of [
    "",
    " 1",
    "1 ",
    "+1",
    "1.",
    ".5",
    "1e3",
    "0x10",
    "1,5",
    "1_000",
    "NaN",
    "Infinity",
    "1.0000000001",
    "--1",
    "10000000000000",
    "9223372036.854775808",
    "١",
  ]) {
    assert.equal(parseRoubles(text), null, text);
  }
  assert.equal(parseRoubles("0.1"), 100_000_000n);
  assert.equal(parseRoubles("007.50"), 7_500_000_000n);
  assert.equal(parseRoubles("-0"), 0n);
});

test("an amount outside PostgreSQL's bigint is refused, not wrapped", () => {
  assert.throws(() => nano(MAX + 1n), RangeError);
  assert.throws(() => nano(-MAX - 1n), RangeError);
});

test("division rounds up by less than one", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: MAX * MAX }),
      fc.bigInt({ min: 1n, max: MAX }),
      (numerator, denominator) => {
        const quotient = divideUp(numerator, denominator);
        return quotient * denominator >= numerator && (quotient - 1n) * denominator < numerator;
      },
    ),
  );
  assert.throws(() => divideUp(-1n, 2n), RangeError);
  assert.throws(() => divideUp(1n, 0n), RangeError);
});

test("the smaller and the greater of two amounts", () => {
  assert.equal(minNano(nano(1n), nano(2n)), 1n);
  assert.equal(maxNano(nano(1n), nano(2n)), 2n);
});
