/** Guarantee: an answer is let off for what a fault took of its time, and for nothing else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fault, FaultKind } from "./plan.ts";
import { troubleOf, undisturbedMs, type Trouble } from "./troubles.ts";

const fault = (kind: FaultKind, forMs: number): Fault => ({
  atMs: 0,
  kind,
  gateway: 0,
  forMs,
  byMs: 0,
  after: 1,
});

function troubles(...faults: readonly [FaultKind, number, number, number][]): Trouble[] {
  return faults.flatMap(
    ([kind, gateway, fromMs, forMs]) => troubleOf(fault(kind, forMs), gateway, fromMs) ?? [],
  );
}

test("a process that nothing has halted owes every answer", () => {
  assert.equal(undisturbedMs(troubles(["latency", 1, 900, 500]), 1, 1_000), null);
  assert.equal(undisturbedMs(troubles(["kill-gateway", 2, 1_100, 500]), 1, 1_000), null);
  assert.equal(undisturbedMs(troubles(["kill-gateway", 1, 100, 500]), 1, 1_000), null);
  assert.equal(undisturbedMs(troubles(["clock", 1, 1_100, 500]), 1, 1_000), null);
});

test("up to the halt it ran, but for the time that its database was out of reach", () => {
  const killed = ["kill-before-statement", 1, 4_000, 900] as const;
  assert.equal(undisturbedMs(troubles([...killed]), 1, 1_000), 3_000);
  assert.equal(undisturbedMs(troubles([...killed], ["outage", 0, 1_500, 500]), 1, 1_000), 1_500);
  assert.equal(
    undisturbedMs(
      troubles([...killed], ["stall", 1, 500, 700], ["cut", 1, 1_200, 2_000]),
      1,
      1_000,
    ),
    1_800,
  );
  assert.equal(undisturbedMs(troubles([...killed], ["stall", 0, 1_500, 500]), 1, 1_000), 3_000);
  assert.equal(undisturbedMs(troubles(["pause", 1, 1_050, 30_000]), 1, 1_000), 50);
});
