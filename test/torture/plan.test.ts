/** Guarantee: a seed gives the same plan of faults and the same turns of chance again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { FAULT_KINDS, planFaults } from "./plan.ts";
import { readArguments } from "./read-arguments.ts";
import { chanceOf } from "./seeded.ts";

const OPTIONS = { gateways: 3, forMs: 1_800_000, gapMs: 4_000, longestPauseMs: 40_000 } as const;

test("one seed is one plan, in which every kind of fault comes", () => {
  const plan = planFaults({ ...OPTIONS, seed: 5, kinds: FAULT_KINDS });
  assert.deepEqual(planFaults({ ...OPTIONS, seed: 5, kinds: FAULT_KINDS }), plan);
  assert.notDeepEqual(planFaults({ ...OPTIONS, seed: 6, kinds: FAULT_KINDS }), plan);
  assert.deepEqual(new Set(plan.map(({ kind }) => kind)), new Set(FAULT_KINDS));
  assert.ok(plan.some(({ kind, forMs }) => kind === "pause" && forMs > 30_000));
});

test("each client has chance of its own", () => {
  const turns = (name: string): number[] => {
    const chance = chanceOf(1, name);
    return Array.from({ length: 5 }, () => chance.between(0, 1_000));
  };
  assert.deepEqual(turns("one"), turns("one"));
  assert.notDeepEqual(turns("one"), turns("two"));
});

test("the command line: what is given, what is not, and what cannot be", () => {
  assert.deepEqual(readArguments(["--minutes", "0.5", "--seed", "9"], 0), {
    ok: true,
    value: { minutes: 0.5, seed: 9 },
  });
  assert.deepEqual(readArguments([], 77), { ok: true, value: { minutes: 5, seed: 77 } });
  for (const args of [["--minutes", "0"], ["--seed", "-1"], ["--seed", "x"], ["--what"]])
    assert.ok(!readArguments(args, 0).ok, args.join(" "));
});
