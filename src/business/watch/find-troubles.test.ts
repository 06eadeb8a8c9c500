/** Protects: a margin is told in whole percent, never better than it is, and of known costs alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nano } from "../../kernel/money.ts";
import { marginPercent } from "./find-troubles.ts";

const sum = (charged: bigint, unknown: bigint, cost: bigint | null) => ({
  chargedNano: nano(charged),
  unknownChargedNano: nano(unknown),
  costNano: cost === null ? null : nano(cost),
});

test("a margin is rounded down, below nought too, and what has no known cost is left out", () => {
  assert.equal(marginPercent([]), null);
  assert.equal(marginPercent([sum(100n, 100n, null)]), null, "nothing is known");
  assert.equal(marginPercent([sum(1_000n, 0n, 801n)]), 19);
  assert.equal(marginPercent([sum(1_000n, 0n, 1_001n)]), -1);
  assert.equal(marginPercent([sum(1_500n, 500n, 800n), sum(0n, 0n, null)]), 20);
  assert.equal(marginPercent([sum(100n, 0n, 0n)]), 100);
});
