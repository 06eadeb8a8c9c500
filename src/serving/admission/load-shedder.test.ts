/**
 * Guards what callers past the capacity meet: those who can be served in time are let in, and the
 * others are refused before the process drowns.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLoadShedder } from "./load-shedder.ts";

const MOST = 20;
const FEW = 5;
const FEW_CALLERS = 8;

function stage() {
  const scene = { pressed: false, allowed: true, callers: 100 };
  const shedder = createLoadShedder({
    most: MOST,
    pressure: {
      turns: {
        allows: () => scene.allowed,
        get pressed() {
          return scene.pressed;
        },
      },
      few: FEW,
      callers: () => scene.callers,
      fewCallers: FEW_CALLERS,
    },
  });
  /** Lets in as many as there is room for, and returns how many wait then. */
  const fill = (): number => {
    for (let tries = 0; tries < 10 * MOST && !shedder.refuses(); tries++) shedder.enter();
    return shedder.waiting;
  };
  const empty = (): void => {
    while (shedder.waiting > 0) shedder.leave();
  };
  return { scene, shedder, fill, empty };
}

test("callers who all come at once are let in up to the room, and again when they have gone", () => {
  const { shedder, fill, empty } = stage();
  for (let i = 0; i < 3; i++) {
    assert.equal(fill(), MOST);
    assert.equal(shedder.full(), true);
    shedder.leave();
    assert.deepEqual([shedder.full(), shedder.refuses()], [false, false]);
    empty();
  }
});

test("while turns stay long only few may wait", () => {
  const { scene, shedder, fill } = stage();
  fill();
  scene.pressed = true;
  while (shedder.waiting >= FEW) {
    assert.equal(shedder.refuses(), true);
    shedder.leave();
  }
  assert.equal(fill(), FEW);
  scene.pressed = false;
  assert.equal(fill(), MOST);
});

test("what the turn has no time for is refused on arrival, and not when it has come whole", () => {
  const { scene, shedder } = stage();
  scene.pressed = true;
  scene.allowed = false;
  assert.deepEqual([shedder.refuses(), shedder.full()], [true, false]);
});

test("a few callers are never refused, whatever they keep the process busy with", () => {
  const { scene, shedder } = stage();
  scene.pressed = true;
  scene.allowed = false;
  scene.callers = FEW_CALLERS;
  for (let i = 0; i < 3 * MOST; i++) {
    assert.deepEqual([shedder.refuses(), shedder.full()], [false, false]);
    shedder.enter();
  }
  scene.callers = FEW_CALLERS + 1;
  assert.deepEqual([shedder.refuses(), shedder.full()], [true, true]);
});

test("a gate without pressure goes by its room alone", () => {
  const shedder = createLoadShedder({ most: 2 });
  shedder.enter();
  assert.equal(shedder.refuses(), false);
  shedder.enter();
  assert.deepEqual([shedder.refuses(), shedder.full()], [true, true]);
  shedder.leave();
  assert.equal(shedder.refuses(), false);
});
