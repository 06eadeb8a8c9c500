/** Protects: revenue without a known cost makes no margin look smaller, or larger. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { marginShare } from "./margin-share.ts";

test("the margin is a share of the revenue whose cost is known, and none where none is", () => {
  assert.equal(marginShare({ revenue: "100", unknownCostRevenue: "20", margin: "20" }), 0.25);
  assert.equal(marginShare({ revenue: "100", unknownCostRevenue: "0", margin: "-50" }), -0.5);
  assert.equal(marginShare({ revenue: "100", unknownCostRevenue: "100", margin: null }), null);
  assert.equal(marginShare({ revenue: "0", unknownCostRevenue: "0", margin: "-1" }), null);
});
