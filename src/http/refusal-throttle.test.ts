/**
 * Guarantee: refused callers who come again at once, however many, leave the process its time; each
 * is heard in the end, and who comes for the first time is heard at once.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRefusalThrottle, PER_IDLE_MS, PER_MS, SAVED, SOON_MS } from "./refusal-throttle.ts";

function stage() {
  let [idleMs, nowMs] = [0, 1_000];
  let work: (() => void) | null = null;
  const throttle = createRefusalThrottle({
    idleMs: () => idleMs,
    monotonicMs: () => nowMs,
    later(turn) {
      assert.equal(work, null, "one look at a time");
      work = turn;
    },
  });
  const answers: number[] = [];
  const callers = Array.from({ length: 2 * SAVED }, () => ({}));
  return {
    throttle,
    answers,
    callers,
    refuse: (caller: number): void =>
      throttle.refuse(callers[caller] ?? {}, () => answers.push(caller)),
    /** Refuses all of them, and forgets their answers. */
    refuseAll(): void {
      for (const caller of callers) throttle.refuse(caller, () => undefined);
    },
    pass({ busyMs = 0, spareMs = 0 }): void {
      nowMs += busyMs + spareMs;
      idleMs += spareMs;
    },
    look(): number {
      const before = answers.length;
      const turn = work;
      work = null;
      turn?.();
      return answers.length - before;
    },
  };
}

test("who comes for the first time, or has waited, is answered at once", () => {
  const { answers, callers, refuse, pass, throttle } = stage();
  for (let round = 0; round < 3; round++) {
    callers.forEach((_, caller) => refuse(caller));
    assert.equal(answers.length, (round + 1) * callers.length);
    pass({ busyMs: SOON_MS });
  }
  assert.equal(throttle.held, 0);
});

test("who comes again at once waits for time to spare, in the order of coming", () => {
  const { answers, callers, refuse, refuseAll, pass, look, throttle } = stage();
  refuseAll();
  callers.forEach((_, caller) => refuse(caller));
  assert.deepEqual([answers.length, throttle.held], [0, callers.length]);
  assert.equal(look(), SAVED, "what was saved");
  pass({ busyMs: 10 });
  assert.equal(look(), 10 * PER_MS, "little of a busy process");
  pass({ spareMs: 4 });
  assert.equal(look(), 4 * (PER_MS + PER_IDLE_MS));
  pass({ spareMs: 1_000 });
  look();
  assert.deepEqual(answers, [...callers.keys()]);
  assert.deepEqual([throttle.held, look()], [0, 0]);
});

test("one who was held and comes again at once is held again", () => {
  const { answers, refuse, refuseAll, pass, look, throttle } = stage();
  refuseAll();
  refuse(7);
  pass({ busyMs: 5 * SOON_MS });
  assert.equal(look(), 1);
  refuse(7);
  assert.deepEqual([answers.length, throttle.held], [1, 1]);
});
