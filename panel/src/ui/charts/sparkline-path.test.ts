/** Guarantee: a sparkline is drawn of seven points or more, from zero, and ends at its edges. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SPARK_POINTS_LEAST, sparklinePath } from "./sparkline-path.ts";

const BOX = { width: 60, height: 20, margin: 1 };

test("fewer than seven points are no line", () => {
  assert.equal(sparklinePath([1, 2, 3, 4, 5, 6], BOX), null);
  assert.equal(sparklinePath([], BOX), null);
  assert.equal(SPARK_POINTS_LEAST, 7);
});

test("it goes from edge to edge, the highest at the top and nothing at the foot", () => {
  assert.equal(
    sparklinePath([0, 1, 2, 4, 2, 1, 0], BOX),
    "M0 19L10 14.5L20 10L30 1L40 10L50 14.5L60 19",
  );
});

test("nothing at all is a line at the foot", () => {
  assert.equal(
    sparklinePath([0, 0, 0, 0, 0, 0, 0], BOX),
    "M0 19L10 19L20 19L30 19L40 19L50 19L60 19",
  );
});
