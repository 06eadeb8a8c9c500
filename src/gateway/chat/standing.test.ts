/** Protects: who fails rests softly and is probed by one call at a time, who fails for long is not called at all, and pauses grow within their bounds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pauses, Standing } from "./standing.ts";
import { createStanding } from "./standing.ts";

const PAUSES: Pauses = { firstMs: 5_000, longestMs: 60_000 };
const OPEN: Pauses = { firstMs: 1_000, longestMs: 4_000 };

function scene(): { standing: Standing; pass: (ms: number) => void; call: () => void } {
  let nowMs = 1_000_000;
  const standing = createStanding({ now: () => new Date(nowMs), monotonicMs: () => nowMs });
  return {
    standing,
    pass: (ms) => void (nowMs += ms),
    /** One call that fails. */
    call() {
      const probe = standing.begin();
      standing.ended(probe);
      standing.failed(probe, 3, PAUSES);
    },
  };
}

/** How long it rests from now on, measured in steps of 1 ms from either side of the expected end. */
function restsFor({ standing, pass }: ReturnType<typeof scene>, ms: number): void {
  pass(ms - 1);
  assert.equal(standing.view().kind, "resting", `${ms - 1} ms later`);
  pass(1);
  assert.equal(standing.view().kind, "ready", `${ms} ms later`);
}

test("the third failure in a row brings a rest, which doubles with each failed probe up to its bound", () => {
  const stage = scene();
  stage.call();
  stage.call();
  assert.deepEqual([stage.standing.view().kind, stage.standing.state, stage.standing.failures], ["ready", "closed", 2]);
  for (const ms of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
    stage.call();
    restsFor(stage, ms);
    assert.equal(stage.standing.state, "resting", "until it has worked again");
  }
});

test("failures of calls that began before the rest, or went on through it, do not lengthen it", () => {
  const stage = scene();
  const { standing } = stage;
  const early = [standing.begin(), standing.begin(), standing.begin(), standing.begin(), standing.begin()];
  for (const probe of early) standing.failed(probe, 3, PAUSES);
  stage.pass(4_000);
  stage.call();
  restsFor(stage, 1_000);
  assert.equal(standing.failures, 6);
});

test("after a rest exactly one call is the probe; when it ends without a verdict the next one is", () => {
  const stage = scene();
  const { standing } = stage;
  for (let i = 0; i < 3; i++) stage.call();
  stage.pass(5_000);
  assert.equal(standing.begin(), true);
  assert.equal(standing.view().kind, "resting");
  assert.equal(standing.begin(), false);
  standing.ended(false);
  assert.equal(standing.view().kind, "resting", "another call's end is not the probe's");
  standing.ended(true);
  assert.equal(standing.view().kind, "ready");
  assert.equal(standing.begin(), true);
});

test("a probe that never ends keeps others from probing for a minute only", () => {
  const stage = scene();
  for (let i = 0; i < 3; i++) stage.call();
  stage.pass(5_000);
  stage.standing.begin();
  restsFor(stage, 60_000);
});

test("what is open refuses until its time is over, then lets one probe through, and opens for longer when that fails", () => {
  const stage = scene();
  const { standing } = stage;
  standing.breakOpen(OPEN);
  for (const ms of [1_000, 2_000, 4_000, 4_000]) {
    assert.deepEqual(standing.view(), { kind: "open", retryInMs: ms });
    assert.equal(standing.begin(), false);
    stage.pass(ms);
    assert.equal(standing.view().kind, "ready");
    assert.equal(standing.begin(), true);
    assert.deepEqual(standing.view(), { kind: "open", retryInMs: 1_000 }, "one probe at a time");
    assert.equal(standing.begin(), false);
    standing.ended(true);
    standing.breakOpen(OPEN);
    assert.equal(standing.state, "open");
  }
});

test("what was open and still rests is only for the last resort, and that call is its probe", () => {
  const stage = scene();
  const { standing } = stage;
  for (let i = 0; i < 3; i++) stage.call();
  standing.breakOpen(OPEN);
  stage.pass(1_000);
  assert.equal(standing.view().kind, "resting");
  assert.equal(standing.begin(), true);
  assert.equal(standing.view().kind, "open");
});

test("a pause is a rest without suspicion: afterwards everybody may call at once", () => {
  const stage = scene();
  stage.standing.pause(700);
  stage.standing.pause(200);
  restsFor(stage, 700);
  assert.equal(stage.standing.begin(), false);
  assert.deepEqual([stage.standing.view().kind, stage.standing.state], ["ready", "closed"]);
});

test("what is open and busy stays open, for as long as it asked at least", () => {
  const stage = scene();
  stage.standing.stayOpen(9_000);
  assert.equal(stage.standing.view().kind, "ready", "what is closed does not open by it");
  stage.standing.breakOpen(OPEN);
  stage.pass(1_000);
  stage.standing.stayOpen(0);
  assert.deepEqual(stage.standing.view(), { kind: "open", retryInMs: 1_000 });
  stage.standing.stayOpen(9_000);
  assert.deepEqual(stage.standing.view(), { kind: "open", retryInMs: 9_000 });
});
