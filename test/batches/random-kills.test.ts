/**
 * Guarantee: a batch survives kills at random moments without a line paid twice or lost; ten
 * thousand lines are a program of their own (`measure-random-kills.ts`).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runRandomKills } from "./random-kills.ts";

test("two hundred lines, two processes, four kills at random moments: each line is answered and charged once", async () => {
  const { kills } = await runRandomKills({
    lines: 200,
    processes: 2,
    seed: 7,
    killWithinMs: 1_500,
    mostKills: 4,
  });
  assert.ok(kills > 0);
});
