/** Protects looks through spans of ids: nothing is passed over, and each step gets further. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Uuid } from "../kernel/ids.ts";
import {
  cutSpans,
  GREATEST_ID,
  joinSpans,
  LEAST_ID,
  nextSpans,
  sliceSpans,
  type IdSpan,
} from "./id-spans.ts";

const NOW = 0x0199_a1b2_c3d4;

function id(ms: number, rest = "7000-8000-000000000001"): Uuid {
  const time = (NOW + ms).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-${rest}`;
}

const span = (from: number, to: number, count: bigint): IdSpan => ({
  firstId: id(from),
  lastId: id(to),
  count,
});

test("spans that overlap are one, newest first", () => {
  assert.deepEqual(
    joinSpans([span(0, 10, 1n), span(30, 40, 2n), span(5, 20, 4n), span(40, 50, 8n)]),
    [span(30, 50, 10n), span(0, 20, 5n)],
  );
});

test("what is cut has its share of the rows, and nothing beyond the bounds", () => {
  const spans = [span(0, 99, 100n)];
  assert.deepEqual(cutSpans(spans, { from: id(50), before: GREATEST_ID }), [span(50, 99, 50n)]);
  assert.deepEqual(cutSpans(spans, { from: LEAST_ID, before: id(9) }), [span(0, 9, 10n)]);
  assert.deepEqual(cutSpans(spans, { from: LEAST_ID, before: id(0) }), []);
  assert.deepEqual(cutSpans(spans, { from: id(100), before: GREATEST_ID }), []);
  assert.deepEqual(cutSpans(spans, { from: id(9), before: id(9) }), []);
});

test("slices are as many as the rows need, and cover every id once", () => {
  for (const [length, count, most] of [
    [1_000, 100n, 30],
    [7, 1_000n, 1],
    [1, 1_000n, 10],
    [2, 3n, 1],
  ] as const) {
    const slices = sliceSpans([span(0, length - 1, count)], most);
    assert.equal(slices.length, Math.min(Math.ceil(Number(count) / most), length));
    assert.deepEqual([slices.at(-1)?.firstId, slices[0]?.lastId], [id(0), id(length - 1)]);
    for (let ms = 0; ms < length; ms++) {
      const within = slices.filter(({ firstId, lastId }) => firstId <= id(ms) && id(ms) <= lastId);
      assert.equal(within.length, 1);
    }
  }
});

test("a look that goes on from where the one before stopped comes to the beginning, however dense it is", () => {
  for (const [length, count] of [
    [5_000, 100n],
    [12, 900n],
    [2, 900n],
  ] as const) {
    let before = GREATEST_ID;
    for (let steps = 0; ; steps++) {
      const next = nextSpans([span(0, length - 1, count)], { from: LEAST_ID, before }, 10);
      const lowest = next.at(-1);
      if (lowest === undefined) break;
      assert.ok(lowest.firstId < before && steps < 200);
      before = lowest.firstId;
    }
    assert.equal(before, id(0));
  }
});
