/** Protects: colours say what the figures say, and nothing is judged by a handful of calls. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeErrors, LEAST_CALLS } from "./upstream-judgement.ts";

test("a share of failures is judged from enough calls on, by its place on one scale", () => {
  assert.equal(judgeErrors(0, 0), null);
  assert.equal(judgeErrors(LEAST_CALLS - 1, LEAST_CALLS - 1), null);
  assert.deepEqual(
    [0, 4, 5, 19, 20, 100].map((failed) => judgeErrors(100, failed)),
    ["good", "good", "warn", "warn", "bad", "bad"],
  );
});
