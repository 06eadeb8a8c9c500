/**
 * Protects: charts and reports of operators have every day, across the ends of months and changes
 * of clocks.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { daysBack, daysBetween } from "./days-back.ts";

test("all days from one to the other, both included", () => {
  assert.deepEqual(daysBetween("2028-02-27", "2028-03-01"), [
    "2028-02-27",
    "2028-02-28",
    "2028-02-29",
    "2028-03-01",
  ]);
  assert.deepEqual(daysBetween("2026-11-22", "2026-11-22"), ["2026-11-22"]);
  assert.deepEqual(daysBetween("2026-11-23", "2026-11-22"), []);
  assert.deepEqual(daysBetween("", "2026-11-22"), []);
});

test("so many days back from today make that many days and one", () => {
  assert.equal(daysBetween(daysBack(29), daysBack(0)).length, 30);
});
