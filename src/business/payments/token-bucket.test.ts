/** Protects: a endpoint without callers takes so many at once, and so many more each second. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createTokenBucket } from "./token-bucket.ts";

test("it is filled by time, and never above its brim", () => {
  let nowMs = 0;
  const bucket = createTokenBucket({ monotonicMs: () => nowMs }, { most: 3, perSecond: 2 });
  const taken = (tries: number): number =>
    Array.from({ length: tries }, () => bucket.take()).filter(Boolean).length;
  assert.equal(taken(10), 3);
  nowMs += 400;
  assert.equal(taken(10), 0);
  nowMs += 600;
  assert.equal(taken(10), 2);
  nowMs += 3_600_000;
  assert.equal(taken(10), 3);
});
