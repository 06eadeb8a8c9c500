/**
 * Guards the deadlines of uploads: silence, a trickle and eternity are cut, honest slow lines and
 * our own slowness are not.
 */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { UPLOAD_PACE, watchPace } from "./sender-pace.ts";

const MEGABYTE = 1024 * 1024;

/** Time that the test moves by itself. */
function scene(t: TestContext, limitBytes = 200 * MEGABYTE) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  let now = 0;
  let late = "";
  const pace = watchPace({
    clock: { now: () => new Date(now), monotonicMs: () => now },
    limits: UPLOAD_PACE,
    limitBytes,
    onLate: (fault) => (late = `${fault.code} ${fault.message}`),
  });
  return {
    pace,
    late: () => late,
    pass(seconds: number, bytesPerSecond = 0) {
      for (let second = 0; second < seconds && late === ""; second++) {
        now += 1000;
        if (bytesPerSecond > 0) pace.received(bytesPerSecond);
        t.mock.timers.tick(1000);
      }
      return now / 1000;
    },
  };
}

test("silence for half a minute is the end, also after much has come", (t) => {
  const { pace, late, pass } = scene(t);
  pass(5, MEGABYTE);
  pass(30);
  assert.equal(late(), "");
  pass(2);
  assert.match(late(), /^request_timeout .*no byte came for 30 seconds/);
  pace.stop();
});

test("a trickle is cut soon after the first minute; 200 MB over half a megabit are not", (t) => {
  const trickle = scene(t);
  assert.ok(trickle.pass(600, 10) <= 62);
  assert.match(trickle.late(), /64 KB a second/);
  t.mock.timers.reset();
  const honest = scene(t);
  honest.pass((200 * MEGABYTE) / (64 * 1024), 64 * 1024);
  assert.equal(honest.late(), "");
  honest.pace.stop();
});

test("while what came is worked off, the sender's time stands still; only eternity ends that", (t) => {
  const { pace, late, pass } = scene(t, 6 * MEGABYTE);
  pass(5, MEGABYTE);
  pace.hold();
  pass(100);
  assert.equal(late(), "");
  pace.wait();
  pass(29);
  assert.equal(late(), "");
  pace.hold();
  pass(100);
  assert.match(late(), /longer than the largest file/);
  pace.stop();
});
