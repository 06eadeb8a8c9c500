/**
 * A slot list has what was put in and not taken out, whatever the order, and a loop over it misses
 * none that stays.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SlotList, type Slotted } from "./slot-list.ts";

interface Thing extends Slotted {
  readonly name: number;
}

function namesOf(slotList: SlotList<Thing>): number[] {
  const names: number[] = [];
  slotList.forEach(({ name }) => names.push(name));
  return names.toSorted((a, b) => a - b);
}

test("random comings and goings leave what a Set would have", () => {
  const slotList = new SlotList<Thing>();
  const expected = new Set<Thing>();
  const things = Array.from({ length: 40 }, (_, name): Thing => ({ name, slot: -1 }));
  for (let step = 0; step < 20_000; step++) {
    const thing = things[Math.floor(Math.random() * things.length)] as Thing;
    if (expected.has(thing)) {
      slotList.delete(thing);
      expected.delete(thing);
    } else if (Math.random() < 0.5) {
      slotList.add(thing);
      expected.add(thing);
    } else slotList.delete(thing); // it is outside: nothing happens
    assert.equal(slotList.size, expected.size);
  }
  assert.deepEqual(
    namesOf(slotList),
    [...expected].map(({ name }) => name).toSorted((a, b) => a - b),
  );
  for (const thing of things) assert.equal(thing.slot >= 0, expected.has(thing));
});

test("one that is taken out while it is gone through makes no other be missed", () => {
  for (let round = 0; round < 500; round++) {
    const slotList = new SlotList<Thing>();
    const things = Array.from({ length: 12 }, (_, name): Thing => ({ name, slot: -1 }));
    for (const thing of things) slotList.add(thing);
    const taken = new Set<number>();
    const seen = new Set<number>();
    slotList.forEach(({ name }) => {
      seen.add(name);
      const victim = things[Math.floor(Math.random() * things.length)] as Thing;
      if (Math.random() < 0.4) {
        slotList.delete(victim);
        taken.add(victim.name);
      }
    });
    for (const { name } of things)
      assert.ok(seen.has(name) || taken.has(name), `${name} was missed`);
  }
});
