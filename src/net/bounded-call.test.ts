/**
 * Protects: what comes first ends a call, with its own reason, and nothing stays behind on the
 * caller's signal.
 */
// Runs in a process of its own: it counts all timers of the process.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { abortable, startCall } from "./bounded-call.ts";

const LATE = new Error("late");

test("the first of deadline, caller and closing gives the reason", async () => {
  const byDeadline = startCall(20, () => LATE, undefined);
  await assert.rejects(abortable(new Promise(() => undefined), byDeadline.signal), LATE);

  const outer = new AbortController();
  const byCaller = startCall(60_000, () => LATE, outer.signal);
  const stopped = new Error("stopped");
  outer.abort(stopped);
  byCaller.stop(new Error("second"));
  assert.equal(byCaller.signal.reason, stopped);
  byCaller.end();

  const before = startCall(60_000, () => LATE, outer.signal);
  assert.equal(before.signal.reason, stopped);
  before.end();
});

test("a call that has ended keeps no timer and no listener", async () => {
  const timers = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const outer = new AbortController();
  const call = startCall(60_000, () => LATE, outer.signal);
  assert.equal(await abortable(Promise.resolve(7), call.signal), 7);
  assert.equal(getEventListeners(call.signal, "abort").length, 0);
  call.end();
  assert.equal(getEventListeners(outer.signal, "abort").length, 0);
  assert.equal(
    process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length,
    timers,
  );
});

test("an abort before the wait is heard, and one with a reason that is no error becomes one", async () => {
  await assert.rejects(abortable(new Promise(() => undefined), AbortSignal.abort(LATE)), LATE);
  await assert.rejects(abortable(new Promise(() => undefined), AbortSignal.abort("why")), {
    message: "aborted",
    cause: "why",
  });
});
