/** Protects: what grows is found, also beneath chance, and what only moves up and down is not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeGrowth, type Look } from "./judge-growth.ts";

const HALF_HOUR = 60;

function series(valueAt: (look: number) => number, looks = HALF_HOUR): Look[] {
  return Array.from({ length: looks }, (_, look) => ({ seconds: look * 30, value: valueAt(look) }));
}

/** The same up and down in every run: a heap between two collections. */
const saw = (look: number): number => (look * 17) % 40;

test("what stays between two bounds holds, whatever single looks say", () => {
  assert.ok(judgeGrowth(series(saw), { noise: 20, perHour: 0 }).holds);
  const spikes = series((look) => (look % 10 === 9 ? 4000 : 100));
  assert.deepEqual(judgeGrowth(spikes, { noise: 0, perHour: 0 }), {
    grown: 0,
    allowed: 0,
    holds: true,
  });
});

test("a leak below the teeth of the saw is found by its slope", () => {
  const leak = series((look) => saw(look) + look);
  const { grown, holds } = judgeGrowth(leak, { noise: 20, perHour: 10 });
  assert.ok(!holds);
  assert.ok(grown > 50 && grown < 70, String(grown));
});

test("the allowance is what chance does, and the slope by the time that was looked at", () => {
  const steady = series((look) => look, 61);
  assert.deepEqual(judgeGrowth(steady, { noise: 10, perHour: 100 }), {
    grown: 60,
    allowed: 60,
    holds: true,
  });
  assert.ok(!judgeGrowth(steady, { noise: 10, perHour: 99 }).holds);
});

test("what shrinks holds, and what was never looked at does not", () => {
  assert.ok(
    judgeGrowth(
      series((look) => -look),
      { noise: 0, perHour: 0 },
    ).holds,
  );
  assert.ok(!judgeGrowth([], { noise: 1, perHour: 1 }).holds);
  assert.ok(
    !judgeGrowth(
      series(() => 1, 1),
      { noise: 1, perHour: 1 },
    ).holds,
  );
  assert.ok(
    !judgeGrowth(
      series(() => Number.NaN),
      { noise: 1, perHour: 1 },
    ).holds,
  );
});
