/** Protects: the steps of the margin's picture meet, and its last one is the margin. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { waterfallSteps } from "./waterfall-steps.ts";

const DAY = { revenue: "100", cost: "60", unknownCostRevenue: "10", margin: "30", loss: "5" };

test("each step begins where the one before ended, down to the margin", () => {
  const { steps, lowest, highest } = waterfallSteps(DAY);
  assert.deepEqual(
    steps.map(({ name, from, to }) => [name, from, to]),
    [
      ["revenue", 0, 100],
      ["unknownCost", 100, 90],
      ["cost", 90, 30],
      ["margin", 0, 30],
      ["loss", 0, 5],
    ],
  );
  assert.deepEqual([lowest, highest], [0, 100]);
});

test("a margin below nothing goes below the ground, and a day without anything has a scale too", () => {
  const loses = waterfallSteps({ ...DAY, cost: "120", margin: "-30" });
  assert.deepEqual(
    [loses.lowest, loses.steps.find(({ name }) => name === "margin")?.to],
    [-30, -30],
  );
  const nothing = waterfallSteps({
    revenue: "0",
    cost: null,
    unknownCostRevenue: "0",
    margin: null,
    loss: "0",
  });
  assert.deepEqual(nothing, {
    steps: [{ name: "revenue", amount: "0", from: 0, to: 0, minus: false }],
    lowest: 0,
    highest: 1,
  });
});
