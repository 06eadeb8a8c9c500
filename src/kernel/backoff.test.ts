/**
 * Guarantee: pauses between tries double up to their bound, never vanish, and those that failed
 * together do not come back together.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { backoffMs, jittered, longerMs } from "./backoff.ts";

const PAUSES = { firstMs: 1_000, longestMs: 60_000 };
const shortest = (): number => 0;
const middle = (): number => 0.5;
/** The largest number that a generator of [0, 1) gives. */
const longest = (): number => 1 - Number.EPSILON / 2;

function close(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) < 1e-6, `${actual} is not ${expected}`);
}

test("tries are doubled apart, up to a bound, however many there were", () => {
  assert.deepEqual(
    [0, 1, 2, 10, 5_000].map((failed) => backoffMs(failed, PAUSES, middle)),
    [1_000, 2_000, 4_000, 60_000, 60_000],
  );
});

test("a pause is at most a fifth shorter or longer, at its bound too", () => {
  for (const [failed, ms] of [
    [0, 1_000],
    [3, 8_000],
    [5_000, 60_000],
  ] as const) {
    close(backoffMs(failed, PAUSES, shortest), 0.8 * ms);
    close(backoffMs(failed, PAUSES, longest), 1.2 * ms);
  }
});

test("its jitter can be another, up to all of the pause", () => {
  close(backoffMs(1, { ...PAUSES, spread: 0.5 }, shortest), 1_000);
  close(backoffMs(1, { ...PAUSES, spread: 0.5 }, longest), 3_000);
  close(backoffMs(1, { ...PAUSES, spread: 1 }, longest), 4_000);
  close(jittered(500, shortest, 0.1), 450);
  close(jittered(500, longest), 600);
});

test("no pause is nothing, whatever the jitter takes away", () => {
  for (const pauses of [
    { ...PAUSES, spread: 1 },
    { firstMs: 0, longestMs: 0 },
    { firstMs: 0.5, longestMs: 10 },
  ])
    assert.equal(backoffMs(0, pauses, shortest), 1);
});

test("a thousand that failed together come back apart, over the whole width", () => {
  const pauses = Array.from({ length: 1_000 }, () => backoffMs(2, PAUSES, Math.random));
  assert.ok(new Set(pauses).size > 900);
  assert.ok(
    Math.min(...pauses) < 3_400 && Math.max(...pauses) > 4_600,
    "they keep to a part of the width",
  );
  assert.ok(pauses.every((ms) => ms >= 3_200 && ms < 4_800));
});

test("a pause goes on from the last one, also where that was of another schedule", () => {
  const pauses = [];
  for (let ms = 0; pauses.length < 8; pauses.push(ms)) ms = longerMs(ms, PAUSES);
  assert.deepEqual(
    pauses,
    [1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1_000),
  );
  assert.equal(longerMs(100, PAUSES), 1_000);
  assert.equal(longerMs(600_000, PAUSES), 60_000);
});
