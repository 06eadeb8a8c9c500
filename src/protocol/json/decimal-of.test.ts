/** Protects: other people's decimals are read exactly, and whatever is none is not guessed at. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { billionthsOf, decimalOf } from "./decimal-of.ts";

const billionths = (value: unknown, parts?: bigint): bigint | null => {
  const decimal = decimalOf(value);
  return decimal === null ? null : billionthsOf(decimal, parts);
};

test("texts and numbers are read exactly, with exponents too, and cut down to billionths", () => {
  assert.equal(billionths("110.00"), 110_000_000_000n);
  assert.equal(billionths(49.58894), 49_588_940_000n);
  assert.equal(billionths(1e-7), 100n);
  assert.equal(billionths("2.5E2"), 250_000_000_000n);
  assert.equal(billionths(4.8984355238), 4_898_435_523n);
  assert.equal(billionths("-0.0000000001"), -1n, "less than nothing is not nothing");
  assert.equal(billionths("1000000", 10_000n), 100_000_000_000n);
});

test("what is no decimal is none", () => {
  for (const value of ["", " ", "1,5", "0x10", "free", "NaN", Number.NaN, Infinity, null, true, {}])
    assert.equal(decimalOf(value), null, JSON.stringify(value));
  assert.equal(decimalOf("1e999"), null);
  assert.equal(decimalOf("9".repeat(31)), null);
});
