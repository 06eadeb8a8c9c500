/** A bag has what was put in and not taken out, whatever the order, and a loop over it misses none that stays. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Bag, type Bagged } from "./bag.ts";

interface Thing extends Bagged {
  readonly name: number;
}

function namesOf(bag: Bag<Thing>): number[] {
  const names: number[] = [];
  bag.forEach(({ name }) => names.push(name));
  return names.toSorted((a, b) => a - b);
}

test("random comings and goings leave what a Set would have", () => {
  const bag = new Bag<Thing>();
  const expected = new Set<Thing>();
  const things = Array.from({ length: 40 }, (_, name): Thing => ({ name, slot: -1 }));
  for (let step = 0; step < 20_000; step++) {
    const thing = things[Math.floor(Math.random() * things.length)] as Thing;
    if (expected.has(thing)) {
      bag.delete(thing);
      expected.delete(thing);
    } else if (Math.random() < 0.5) {
      bag.add(thing);
      expected.add(thing);
    } else bag.delete(thing); // it is outside: nothing happens
    assert.equal(bag.size, expected.size);
  }
  assert.deepEqual(
    namesOf(bag),
    [...expected].map(({ name }) => name).toSorted((a, b) => a - b),
  );
  for (const thing of things) assert.equal(thing.slot >= 0, expected.has(thing));
});

test("one that is taken out while it is gone through makes no other be missed", () => {
  for (let round = 0; round < 500; round++) {
    const bag = new Bag<Thing>();
    const things = Array.from({ length: 12 }, (_, name): Thing => ({ name, slot: -1 }));
    for (const thing of things) bag.add(thing);
    const taken = new Set<number>();
    const seen = new Set<number>();
    bag.forEach(({ name }) => {
      seen.add(name);
      const victim = things[Math.floor(Math.random() * things.length)] as Thing;
      if (Math.random() < 0.4) {
        bag.delete(victim);
        taken.add(victim.name);
      }
    });
    for (const { name } of things) assert.ok(seen.has(name) || taken.has(name), `${name} was missed`);
  }
});
