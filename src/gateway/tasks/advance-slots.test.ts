/** An upstream is never called more often at once than it allows; who waits is served in turn. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSlots, type Slot } from "./advance-slots.ts";

test("as many as are allowed, each upstream for itself", () => {
  const slots = createSlots();
  const first = slots.tryTake("a", 2);
  assert.ok(first !== null && slots.tryTake("a", 2) !== null);
  assert.equal(slots.tryTake("a", 2), null);
  assert.ok(slots.tryTake("b", 1) !== null);
  first();
  assert.ok(slots.tryTake("a", 2) !== null);
});

test("who waits gets the next slot, before anybody who comes later", async () => {
  const slots = createSlots();
  const order: number[] = [];
  const held: Slot = await slots.take("a", 1);
  const waiting = [1, 2, 3].map(async (number) => {
    const release = await slots.take("a", 1);
    order.push(number);
    assert.equal(slots.tryTake("a", 1), null);
    release();
  });
  held();
  assert.equal(slots.tryTake("a", 1), null, "it passed on to the first of those who wait");
  await Promise.all(waiting);
  assert.deepEqual(order, [1, 2, 3]);
  assert.ok(slots.tryTake("a", 1) !== null);
});
