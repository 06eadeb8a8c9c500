/**
 * Protects: what an operator is told of a balance beforehand is right to the last digit, whatever
 * its size and sign.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { addAmounts, readAmount, sizeOfAmount } from "./add-amounts.ts";

test("amounts are added digit by digit, beyond what a float can hold", () => {
  for (const [a, b, sum] of [
    ["0.1", "0.2", "0.3"],
    ["999999999999.999999999", "0.000000001", "1000000000000"],
    ["12.5", "-12.5", "0"],
    ["1", "-1.000000001", "-0.000000001"],
    ["-0.5", "-100", "-100.5"],
    ["5", "7.", "12"],
  ] as const) {
    assert.equal(addAmounts(a, b), sum, `${a} + ${b}`);
  }
});

test("what is half typed is no amount", () => {
  for (const text of ["", "-", ".", "-.5", "1e3", "1,5", "1.0000000001"])
    assert.equal(readAmount(text), null, text);
  assert.equal(addAmounts("5", "-"), null);
  assert.equal(sizeOfAmount("-12.5"), "12.5");
});
