/**
 * Protects: a place is given to one at a time, in order, and never lost or given twice, however the
 * waiting ends.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSlots, type Slot } from "./slots.ts";

const NEVER = new AbortController().signal;

test("places go round in order, host by host", async () => {
  const slots = createSlots();
  const order: string[] = [];
  const first = await slots.take("a", 1, NEVER);
  const waiting = ["second", "third"].map(async (name) => {
    const giveBack = await slots.take("a", 1, NEVER);
    order.push(name);
    giveBack();
  });
  const other = await slots.take("b", 1, NEVER);
  order.push("other");
  other();
  first();
  await Promise.all(waiting);
  assert.deepEqual(order, ["other", "second", "third"]);
  assert.equal(slots.size(), 0, "a host is forgotten when nothing is under way");
});

test("a place that is given back twice counts once", async () => {
  const slots = createSlots();
  const first = await slots.take("a", 2, NEVER);
  const second = await slots.take("a", 2, NEVER);
  first();
  first();
  const third = await slots.take("a", 2, NEVER);
  let taken = false;
  const fourth = slots.take("a", 2, NEVER).then((giveBack) => ((taken = true), giveBack));
  await new Promise(setImmediate);
  assert.equal(taken, false);
  second();
  (await fourth)();
  third();
});

test("who gives up the wait is passed over, also in the moment of its turn", async () => {
  const slots = createSlots();
  const first = await slots.take("a", 1, NEVER);
  const early = new AbortController();
  const gone = slots.take("a", 1, early.signal);
  early.abort(new Error("early"));
  await assert.rejects(gone, { message: "early" });
  const late = new AbortController();
  const unlucky = slots.take("a", 1, late.signal);
  const next = slots.take("a", 1, NEVER);
  // Aborted first, so that is what it hears; but the place was already its own.
  late.abort(new Error("late"));
  first();
  await assert.rejects(unlucky, { message: "late" });
  (await next)();
  await assert.rejects(slots.take("a", 1, late.signal), { message: "late" });
  (await slots.take("a", 1, NEVER))();
});

test("who waits gets the next slot, before anybody who comes later", async () => {
  const slots = createSlots();
  const order: number[] = [];
  const held: Slot = await slots.take("a", 1);
  const waiting = [1, 2, 3].map(async (number) => {
    const release = await slots.take("a", 1);
    order.push(number);
    release();
  });
  held();
  await Promise.all(waiting);
  assert.deepEqual(order, [1, 2, 3]);
  (await slots.take("a", 1))();
});
