/** Guarantee: no digit of a figure is lost, and only units and kopecks step back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { stepsOf } from "./steps-of.ts";

test("units and kopecks step back", () => {
  assert.deepEqual(stepsOf("6\u00A0883,00\u00A0₽"), ["", "6\u00A0883", ",00\u00A0₽"]);
  assert.deepEqual(stepsOf("₽6,883.00"), ["₽", "6,883", ".00"]);
  assert.deepEqual(stepsOf("−1\u00A0200,50\u00A0₽"), ["", "−1\u00A0200", ",50\u00A0₽"]);
  assert.deepEqual(stepsOf("21,5\u00A0млн"), ["", "21,5", "\u00A0млн"]);
  assert.deepEqual(stepsOf("14,35\u00A0%"), ["", "14,35", "\u00A0%"]);
  assert.deepEqual(stepsOf("0,41 с"), ["", "0,41", " с"]);
  assert.deepEqual(stepsOf("117\u00A0893"), ["", "117\u00A0893", ""]);
  assert.deepEqual(stepsOf("1,234.56"), ["", "1,234.56", ""]);
});

test("what is no single figure stays as it is", () => {
  for (const text of ["—", "2 мин 5 с", "", "пока мало данных", "0,4 / 1,2 с"])
    assert.equal(stepsOf(text), null);
});
