/** Protects: a replica is never said to have more than the primary was seen to have by then. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createPositionLog } from "./position-log.ts";

test("a position is as old as the last look at which the primary had no more", () => {
  const log = createPositionLog();
  assert.equal(log.reachedMs(100n), null);
  log.note(100n, 1_000);
  log.note(150n, 2_000);
  assert.equal(log.reachedMs(99n), null);
  assert.equal(log.reachedMs(100n), 1_000);
  assert.equal(log.reachedMs(149n), 1_000);
  assert.equal(log.reachedMs(200n), 2_000);
});

test("while the primary writes nothing, what was there before is as new as the last look", () => {
  const log = createPositionLog();
  log.note(100n, 1_000);
  log.note(100n, 900_000);
  assert.equal(log.reachedMs(100n), 900_000);
});

test("where another primary has less, what was noted of the first one counts no longer", () => {
  const log = createPositionLog();
  log.note(100n, 1_000);
  log.note(90n, 2_000);
  assert.equal(log.reachedMs(95n), 2_000);
  assert.equal(log.reachedMs(89n), null);
});

test("it remembers ten minutes of a look a second, and no more", () => {
  const log = createPositionLog();
  for (let second = 0; second <= 600; second++) log.note(BigInt(second), second * 1_000);
  assert.equal(log.reachedMs(0n), null);
  assert.equal(log.reachedMs(1n), 1_000);
});
