/** Protects: what the list of changed prices says is not said twice, and nothing else is left out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PriceStep } from "../../../../src/contract/price/price-step.ts";
import { unlistedChanges } from "./unlisted-changes.ts";

const step = (model: string, before: string, after: string): PriceStep => ({
  model,
  tier: null,
  variant: null,
  kind: "input",
  before,
  after,
  percent: "1.0",
  big: false,
});

test("amounts that the list has are said, multipliers, bounds and prices that begin are not", () => {
  const written = [
    { model: "a", field: "input", before: "1", after: "2" },
    { model: "a", field: "surcharges.serviceTier.priority.multiply", before: "2", after: "3" },
    { model: "a", field: "cacheWrite5m", before: "none", after: "2" },
    { model: "b", field: "input", before: "1", after: "2" },
  ];
  assert.deepEqual(unlistedChanges(written, [step("a", "1", "2")]), written.slice(1));
});

test("a task's line is said where only its amounts differ", () => {
  const line = (amount: string, quantity: string) =>
    `${quantity} × resolution(480p ${amount}, 720p 8) per second`;
  const amounts = {
    model: "t",
    field: "price",
    before: line("4", "duration"),
    after: line("5.5", "duration"),
  };
  const quantity = { ...amounts, after: line("5.5", "count") };
  assert.deepEqual(unlistedChanges([amounts, quantity], [step("t", "4", "5.5")]), [quantity]);
  assert.deepEqual(unlistedChanges([amounts], []), [amounts]);
});
