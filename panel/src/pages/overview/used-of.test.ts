/** Guarantee: the bar of a limit is full only where nothing is left of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { usedOf } from "./used-of.ts";

test("what is used of a limit", () => {
  const used = (amount: string, remaining: string): number => usedOf({ amount, remaining });
  assert.deepEqual(
    [used("5000", "2300"), used("5000", "5000"), used("5000", "0"), used("5000", "-3")],
    [0.54, 0, 1, 1],
  );
  assert.equal(used("1000000000", "0.000000001"), 0.9999);
  assert.equal(used("10", "11"), 0, "what came back of the period before is no negative share");
  assert.equal(used("0", "0"), 1);
});
