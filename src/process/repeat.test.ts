/**
 * Protects: work that is told of is done soon, never twice at once, and without a word now and then
 * all the same.
 */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { repeatWhenWoken } from "./repeat.ts";

function scene(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let nowMs = 0;
  t.mock.method(performance, "now", () => nowMs);
  const runs: PromiseWithResolvers<void>[] = [];
  const errors: unknown[] = [];
  const repeater = repeatWhenWoken(
    (error) => errors.push(error),
    () => {
      const run = Promise.withResolvers<void>();
      runs.push(run);
      return run.promise;
    },
    { leastMs: 500, mostMs: 3_000 },
  );
  return {
    repeater,
    runs,
    errors,
    pass(ms: number) {
      nowMs += ms;
      t.mock.timers.tick(ms);
    },
    async end(run: number, error?: Error) {
      if (error === undefined) runs[run]?.resolve();
      else runs[run]?.reject(error);
      await new Promise((done) => setImmediate(done));
    },
  };
}

test("woken work runs once the least pause is over, other work after the longest", async (t) => {
  const { repeater, runs, pass, end } = scene(t);
  pass(2_999);
  assert.equal(runs.length, 0);
  pass(1);
  assert.equal(runs.length, 1);
  await end(0);
  pass(100);
  repeater.wake();
  repeater.wake();
  pass(399);
  assert.equal(runs.length, 1);
  pass(1);
  assert.equal(runs.length, 2);
  await end(1);
  pass(2_999);
  assert.equal(runs.length, 2);
  repeater.wake();
  pass(0);
  assert.equal(runs.length, 3);
});

test("work that is woken while it runs runs again behind itself, also when it failed", async (t) => {
  const { repeater, runs, errors, pass, end } = scene(t);
  pass(3_000);
  repeater.wake();
  pass(10_000);
  assert.equal(runs.length, 1);
  await end(0, new Error("no database"));
  assert.equal(errors.length, 1);
  pass(500);
  assert.equal(runs.length, 2);
});

test("a stop waits for the run under way, and nothing wakes what has stopped", async (t) => {
  const { repeater, runs, pass, end } = scene(t);
  pass(3_000);
  let stopped = false;
  const stop = repeater.stop().then(() => (stopped = true));
  await end(99);
  assert.equal(stopped, false);
  repeater.wake();
  await end(0);
  await stop;
  repeater.wake();
  pass(10_000);
  assert.equal(runs.length, 1);
});
