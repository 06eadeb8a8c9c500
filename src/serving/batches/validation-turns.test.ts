/** Guarantee: two batches are validated at once where memory allows, one where it does not, and none waits for ever. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Fault } from "../../kernel/faults.ts";
import { createValidationTurns } from "./validation-turns.ts";

function scene(hasRoom: () => boolean) {
  const turns = createValidationTurns({ hasRoom });
  const gates: PromiseWithResolvers<void>[] = [];
  const work = () =>
    turns.take(async () => {
      const gate = Promise.withResolvers<void>();
      gates.push(gate);
      await gate.promise;
    });
  return { turns, gates, work };
}

test("the third waits for one of two; with memory for one alone the second waits, too", async () => {
  const { gates, work } = scene(() => true);
  const all = [work(), work(), work()];
  await nextTurn();
  assert.equal(gates.length, 2);
  gates[0]?.resolve();
  await nextTurn();
  assert.equal(gates.length, 3);
  for (const gate of gates) gate.resolve();
  await Promise.all(all);

  const tight = scene(() => false);
  const both = [tight.work(), tight.work()];
  await nextTurn();
  assert.equal(tight.gates.length, 1);
  tight.gates[0]?.resolve();
  await nextTurn();
  assert.equal(tight.gates.length, 2);
  tight.gates[1]?.resolve();
  await Promise.all(both);
});

test("one that throws gives its turn back, and where too many wait the next is told to come again", async () => {
  const { turns, gates, work } = scene(() => true);
  await assert.rejects(
    turns.take(() => Promise.reject(new Error("broken"))),
    /broken/,
  );
  const waiting = Array.from({ length: 66 }, work);
  await assert.rejects(
    turns.take(async () => undefined),
    (error: unknown) => error instanceof Fault && error.code === "overloaded",
  );
  for (let done = 0; done < waiting.length; done++) {
    gates[done]?.resolve();
    await nextTurn();
  }
  await Promise.all(waiting);
});
