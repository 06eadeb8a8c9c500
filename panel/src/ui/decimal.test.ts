/** Protects: amounts are added and compared to the last digit, whatever their size. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compareDecimals, fromUnits, restOf, toUnits } from "./decimal.ts";

test("a decimal string comes back as it was, in its shortest form", () => {
  for (const text of ["0", "1", "-1.5", "0.000000000000001", "123456789012345678.000000001"])
    assert.equal(fromUnits(toUnits(text)), text);
  assert.equal(fromUnits(toUnits("1.500")), "1.5");
  for (const wrong of ["", "1e3", "1,5", ".5", "NaN", "0.0000000000000001"])
    assert.throws(() => toUnits(wrong), wrong);
});

test("what parts leave of a whole is exact, and never less than nothing", () => {
  assert.equal(restOf("0.3", ["0.1", "0.2"]), "0");
  assert.equal(restOf("9007199254740993.000000001", ["9007199254740992"]), "1.000000001");
  assert.equal(restOf("1", ["0.7", "0.7"]), "0");
});

test("amounts are ordered as numbers, not as texts", () => {
  assert.deepEqual(["10", "9", "0.5", "-3"].toSorted(compareDecimals), ["-3", "0.5", "9", "10"]);
});
