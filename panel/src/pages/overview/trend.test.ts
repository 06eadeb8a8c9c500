/** Guarantee: a trend is of what can be compared, and only errors are judged. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { UsageSums } from "../../../../src/contract/panel/usage.ts";
import { areErrorsBad, cacheShare, changeOf, differenceOf, errorShare } from "./trend.ts";

const NOTHING: UsageSums = {
  charged: "0",
  requests: 0,
  tasks: 0,
  errors: 0,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  durationMs: null,
  timeToFirstTokenMs: null,
};

test("a change is a share of what was before, and of nothing there is none", () => {
  assert.equal(changeOf(112, 100), 112 / 100 - 1);
  assert.equal(changeOf(0, 4), -1);
  for (const [now, before] of [
    [5, 0],
    [null, 4],
    [4, null],
  ] as const)
    assert.equal(changeOf(now, before), null);
});

test("shares are of what there was", () => {
  assert.equal(errorShare(NOTHING), null);
  assert.equal(cacheShare(NOTHING), null);
  const sums = { ...NOTHING, requests: 6, tasks: 2, errors: 2, inputTokens: 80, cachedTokens: 20 };
  assert.equal(errorShare(sums), 0.25);
  assert.equal(cacheShare(sums), 0.25);
  assert.equal(differenceOf(0.25, 0.125), 0.125);
  assert.equal(differenceOf(null, 0.1), null);
});

test("errors are bad where they are many, or twice as many as before", () => {
  assert.deepEqual(
    [
      areErrorsBad(0.05, 0.05),
      areErrorsBad(0.02, 0.01),
      areErrorsBad(0.019, 0.012),
      areErrorsBad(0.009, 0),
      areErrorsBad(0.02, null),
      areErrorsBad(null, 0.5),
    ],
    [true, true, false, false, false, false],
  );
});
