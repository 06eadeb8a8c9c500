/** Guarantee: headline figures are short from a million on, and changes have their sign. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatChange, formatCountBrief, formatPoints } from "./format-number.ts";

const plain = (text: string): string => text.replaceAll(/\s/gu, " ");

test("a count is whole below a million, and has a word above", () => {
  assert.equal(plain(formatCountBrief(999_999, "ru")), "999 999");
  assert.equal(plain(formatCountBrief(21_523_000, "ru")), "21,5 млн");
  assert.equal(formatCountBrief(21_523_000, "en").toLowerCase(), "21.5m");
});

test("a change says which way, by the minus of numbers", () => {
  assert.equal(plain(formatChange(0.123, "ru")), "+12 %");
  assert.equal(formatChange(-0.031, "en"), "−3%");
  assert.equal(formatChange(0.001, "en"), "0%");
  assert.equal(formatChange(13, "en"), "×14");
  assert.equal(formatPoints(0.004, "ru"), "+0,4");
  assert.equal(formatPoints(-0.012, "en"), "−1.2");
});
