/**
 * Guards what callers past the capacity meet: those who can be served in time are let in, and the
 * others are refused before the process drowns.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLoadShedder, FEW_WAITING, MOST_WAITING } from "./load-shedder.ts";
import type { LoadShedder } from "./load-shedder.ts";

interface Scene {
  readonly shedder: LoadShedder;
  /** Lets in as many as there is room for, and returns how many wait then. */
  fill(): number;
  enter(): void;
  leave(count: number): void;
  pass(ms: number): void;
  busy: number;
  callers: number;
}

function stage(): Scene {
  let nowMs = 0;
  let waiting = 0;
  const scene: Scene = {
    busy: 1,
    callers: 2 * MOST_WAITING,
    shedder: createLoadShedder({
      clock: { now: () => new Date(0), monotonicMs: () => nowMs },
      busyShare: () => scene.busy,
      callers: () => scene.callers,
    }),
    fill() {
      for (; !scene.shedder.full(); waiting++) scene.shedder.enter();
      return waiting;
    },
    enter() {
      scene.shedder.enter();
      waiting += 1;
    },
    leave(count) {
      for (let i = 0; i < count; i++) scene.shedder.leave();
      waiting -= count;
    },
    pass(ms) {
      nowMs += ms;
    },
  };
  return scene;
}

test("callers who all come at once are let in up to the limit, and again when they have gone, however busy the process is", () => {
  const scene = stage();
  for (let i = 0; i < 20; i++) {
    for (let j = 0; j < MOST_WAITING - 1; j++) scene.shedder.enter();
    assert.equal(scene.shedder.full(), false);
    for (let j = 0; j < MOST_WAITING - 1; j++) scene.shedder.leave();
    scene.pass(100);
  }
});

test("once too many came only few are let in, for as long as the process has no time to spare", () => {
  const scene = stage();
  assert.equal(scene.fill(), MOST_WAITING);
  scene.leave(MOST_WAITING);
  for (let i = 0; i < 30; i++) {
    assert.equal(scene.fill(), FEW_WAITING);
    scene.leave(FEW_WAITING);
    scene.pass(100);
  }
});

test("with time to spare the limit grows back, step by step, to what it was", () => {
  const scene = stage();
  scene.fill();
  scene.leave(MOST_WAITING);
  scene.pass(100);
  scene.busy = 0.5;
  const limits: number[] = [];
  for (let i = 0; i < 60 && limits.at(-1) !== MOST_WAITING; i++) {
    const limit = scene.fill();
    limits.push(limit);
    scene.leave(limit);
    scene.pass(100);
  }
  assert.ok((limits[0] ?? 0) < 2 * FEW_WAITING);
  assert.equal(limits.at(-1), MOST_WAITING);
  assert.ok(limits.length > 20, "not at once");
  scene.busy = 1;
  assert.equal(scene.fill(), FEW_WAITING, "it was reached, so it was too many again");
});

test("callers of whom there are fewer than may wait are all let in at once, also after there were too many, and however busy they keep the process", () => {
  const scene = stage();
  scene.fill();
  scene.leave(MOST_WAITING);
  assert.equal(scene.fill(), FEW_WAITING);
  scene.callers = MOST_WAITING - 1;
  for (let i = FEW_WAITING; i < MOST_WAITING - 1; i++) {
    assert.equal(scene.shedder.full(), false);
    scene.enter();
  }
  scene.callers = MOST_WAITING;
  assert.equal(
    scene.shedder.full(),
    true,
    "it was not forgotten meanwhile that there were too many",
  );

  scene.leave(MOST_WAITING - 1);
  scene.callers = MOST_WAITING - 1;
  scene.busy = 0.5;
  for (let i = 0; i < 60; i++) {
    scene.pass(100);
    scene.shedder.full();
  }
  scene.callers = MOST_WAITING;
  assert.equal(scene.fill(), MOST_WAITING, "but with time to spare it is");
});
