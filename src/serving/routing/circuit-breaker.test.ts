/**
 * Protects: who fails rests softly and is probed by one call at a time, who fails for long is not
 * called at all, and pauses grow within their bounds.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Backoff } from "../../kernel/backoff.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";
import { createCircuitBreaker } from "./circuit-breaker.ts";

const PAUSES: Backoff = { firstMs: 5_000, longestMs: 60_000 };
const OPEN: Backoff = { firstMs: 1_000, longestMs: 4_000 };

function scene(): { breaker: CircuitBreaker; pass: (ms: number) => void; call: () => void } {
  let nowMs = 1_000_000;
  const breaker = createCircuitBreaker({ now: () => new Date(nowMs), monotonicMs: () => nowMs });
  return {
    breaker,
    pass: (ms) => void (nowMs += ms),
    /** One call that fails. */
    call() {
      const probe = breaker.begin();
      breaker.ended(probe);
      breaker.failed(probe, 3, PAUSES);
    },
  };
}

/**
 * How long it rests from now on, measured in steps of 1 ms from either side of the expected end.
 */
function restsFor({ breaker, pass }: ReturnType<typeof scene>, ms: number): void {
  pass(ms - 1);
  assert.equal(breaker.view().kind, "resting", `${ms - 1} ms later`);
  pass(1);
  assert.equal(breaker.view().kind, "ready", `${ms} ms later`);
}

test("the third failure in a row brings a rest, which doubles with each failed probe up to its bound", () => {
  const stage = scene();
  stage.call();
  stage.call();
  assert.deepEqual(
    [stage.breaker.view().kind, stage.breaker.state, stage.breaker.failures],
    ["ready", "closed", 2],
  );
  for (const ms of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
    stage.call();
    restsFor(stage, ms);
    assert.equal(stage.breaker.state, "resting", "until it has worked again");
  }
});

test("failures of calls that began before the rest, or went on through it, do not lengthen it", () => {
  const stage = scene();
  const { breaker } = stage;
  const early = [
    breaker.begin(),
    breaker.begin(),
    breaker.begin(),
    breaker.begin(),
    breaker.begin(),
  ];
  for (const probe of early) breaker.failed(probe, 3, PAUSES);
  stage.pass(4_000);
  stage.call();
  restsFor(stage, 1_000);
  assert.equal(breaker.failures, 6);
});

test("after a rest exactly one call is the probe; when it ends without a verdict the next one is", () => {
  const stage = scene();
  const { breaker } = stage;
  for (let i = 0; i < 3; i++) stage.call();
  stage.pass(5_000);
  assert.equal(breaker.begin(), true);
  assert.equal(breaker.view().kind, "resting");
  assert.equal(breaker.begin(), false);
  breaker.ended(false);
  assert.equal(breaker.view().kind, "resting", "another call's end is not the probe's");
  breaker.ended(true);
  assert.equal(breaker.view().kind, "ready");
  assert.equal(breaker.begin(), true);
});

test("a probe that never ends keeps others from probing for a minute only", () => {
  const stage = scene();
  for (let i = 0; i < 3; i++) stage.call();
  stage.pass(5_000);
  stage.breaker.begin();
  restsFor(stage, 60_000);
});

test("what is open refuses until its time is over, then lets one probe through, and opens for longer when that fails", () => {
  const stage = scene();
  const { breaker } = stage;
  breaker.breakOpen(OPEN);
  for (const ms of [1_000, 2_000, 4_000, 4_000]) {
    assert.deepEqual(breaker.view(), { kind: "open", retryInMs: ms });
    assert.equal(breaker.begin(), false);
    stage.pass(ms);
    assert.equal(breaker.view().kind, "ready");
    assert.equal(breaker.begin(), true);
    assert.deepEqual(breaker.view(), { kind: "open", retryInMs: 1_000 }, "one probe at a time");
    assert.equal(breaker.begin(), false);
    breaker.ended(true);
    breaker.breakOpen(OPEN);
    assert.equal(breaker.state, "open");
  }
});

test("what was open and still rests is only for the last resort, and that call is its probe", () => {
  const stage = scene();
  const { breaker } = stage;
  for (let i = 0; i < 3; i++) stage.call();
  breaker.breakOpen(OPEN);
  stage.pass(1_000);
  assert.equal(breaker.view().kind, "resting");
  assert.equal(breaker.begin(), true);
  assert.equal(breaker.view().kind, "open");
});

test("a pause is a rest without suspicion: afterwards everybody may call at once", () => {
  const stage = scene();
  stage.breaker.pause(700);
  stage.breaker.pause(200);
  restsFor(stage, 700);
  assert.equal(stage.breaker.begin(), false);
  assert.deepEqual([stage.breaker.view().kind, stage.breaker.state], ["ready", "closed"]);
});

test("what is open and busy stays open, for as long as it asked at least", () => {
  const stage = scene();
  stage.breaker.stayOpen(9_000);
  assert.equal(stage.breaker.view().kind, "ready", "what is closed does not open by it");
  stage.breaker.breakOpen(OPEN);
  stage.pass(1_000);
  stage.breaker.stayOpen(0);
  assert.deepEqual(stage.breaker.view(), { kind: "open", retryInMs: 1_000 });
  stage.breaker.stayOpen(9_000);
  assert.deepEqual(stage.breaker.view(), { kind: "open", retryInMs: 9_000 });
});
