/**
 * Polls come often at first and ever more rarely, within the provider's bounds, and never all at
 * once.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { firstPollMs, nextPollMs } from "./poll-schedule.ts";

const WIDE = { firstMs: 1_000, minMs: 0, maxMs: 1e9 };
const middle = (): number => 0.5;

test("two seconds, then five, ten and thirty", () => {
  const paces = [0, 5_999, 6_000, 59_999, 60_000, 299_999, 300_000, 3_600_000].map((ms) =>
    nextPollMs(ms, 0, WIDE, middle),
  );
  assert.deepEqual(paces, [2_000, 2_000, 5_000, 5_000, 10_000, 10_000, 30_000, 30_000]);
});

test("a provider's own bounds win", () => {
  const slow = { firstMs: 9_000, minMs: 15_000, maxMs: 20_000 };
  assert.equal(firstPollMs(slow, middle), 9_000);
  assert.deepEqual(
    [nextPollMs(0, 0, slow, middle), nextPollMs(3_600_000, 0, slow, middle)],
    [15_000, 20_000],
  );
});

test("looks that tell nothing come ever more rarely, up to a minute", () => {
  const waits = [1, 2, 3, 4, 5, 6, 50].map((silent) => nextPollMs(30_000, silent, WIDE, middle));
  assert.deepEqual(waits, [5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
});

test("a fifth up and down, so that what began together does not stay together", () => {
  assert.equal(
    nextPollMs(0, 0, WIDE, () => 0),
    1_600,
  );
  assert.ok(Math.abs(nextPollMs(0, 0, WIDE, () => 1) - 2_400) < 0.001);
});
