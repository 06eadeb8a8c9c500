/**
 * Guards what lets a process past its capacity keep its turns short: only turns that stay long
 * narrow the gate, and only as long as callers have to be refused.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createTurnBudget, PATIENCE_MS, SPARE, TURN_MS } from "./turn-budget.ts";

function stage() {
  let [nowMs, idleMs] = [1_000, 0];
  let ended: (() => void) | null = null;
  const turns = createTurnBudget({
    clock: { monotonicMs: () => nowMs },
    idleMs: () => idleMs,
    afterTurn: (end) => {
      assert.equal(ended, null, "one end for each turn");
      ended = end;
    },
  });
  const turn = (newcomers: number, eachMs: number): number => {
    let allowed = 0;
    for (let i = 0; i < newcomers; i++) {
      if (!turns.allows()) continue;
      allowed += 1;
      nowMs += eachMs;
    }
    const end = ended;
    ended = null;
    end?.();
    return allowed;
  };
  /** Others are served. */
  const later = (ms: number): void => void (nowMs += ms);
  const pass = (ms: number): void => {
    later(ms);
    idleMs += ms;
  };
  /** Turns of 50 newcomers, each of whom takes a millisecond, until they are told to be too many. */
  const press = (): number => {
    const beganMs = nowMs;
    while (!turns.pressed) turn(50, 1);
    return nowMs - beganMs;
  };
  return { turns, turn, later, pass, press };
}

test("a burst is let in, however long its turn", () => {
  const { turns, turn } = stage();
  assert.equal(turn(150, 1), 150);
  assert.equal(turns.pressed, false);
  assert.equal(turn(1, 1), 1);
});

test("turns that stay long for a while leave newcomers their first milliseconds only", () => {
  const { turns, turn, press } = stage();
  const tookMs = press();
  assert.ok(tookMs >= PATIENCE_MS && tookMs <= PATIENCE_MS + 100, String(tookMs));
  for (let i = 0; i < 20; i++) assert.equal(turn(50, 1), TURN_MS);
  assert.equal(turns.pressed, true, "turns are short because callers are refused");
});

test("one short turn among long ones begins the count anew", () => {
  const { turns, turn } = stage();
  for (let i = 0; i < 20; i++) {
    turn(50, 1);
    turn(50, 1);
    turn(1, 1);
  }
  assert.equal(turns.pressed, false);
});

test("when no caller has been refused for a while all are let in again", () => {
  const { turns, turn, pass, press } = stage();
  press();
  turn(50, 1);
  for (let ms = 0; ms < PATIENCE_MS - 20; ms += 10) {
    assert.equal(turn(1, 1), 1);
    pass(9);
  }
  assert.equal(turns.pressed, true, "they may come again");
  pass(30);
  turn(1, 1);
  assert.equal(turns.pressed, false);
  assert.equal(turn(50, 1), 50);
});

test("idle time before a newcomer is no part of a turn", () => {
  const { turns, turn, pass } = stage();
  for (let i = 0; i < 100; i++) {
    pass(1_000);
    turn(1, 1);
  }
  assert.equal(turns.pressed, false);
});

test("long turns of a process with time to spare are no sign of too much work", () => {
  const { turns, turn, pass, press } = stage();
  for (let i = 0; i < 200; i++) {
    turn(8, 1);
    pass(Math.ceil((8 * SPARE) / (1 - SPARE)) + 1);
  }
  assert.equal(turns.pressed, false);
  press();
  assert.equal(turns.pressed, true);
});

test("who looks at a long turn before the first newcomer takes none of its time", () => {
  const { turns, turn, press, later } = stage();
  press();
  for (let i = 0; i < 20; i++) {
    assert.equal(turns.look(), true);
    later(10 * TURN_MS);
    assert.equal(turn(50, 1), TURN_MS);
  }
});

test("looks alone tell when turns are short again", () => {
  const { turns, turn, press, later } = stage();
  press();
  turn(50, 1);
  later(PATIENCE_MS);
  assert.equal(turns.look(), true, "this turn is not over");
  turn(0, 0);
  assert.equal(turns.look(), false);
  turn(0, 0);
});
