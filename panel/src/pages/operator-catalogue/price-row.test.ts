/** Protects: a row of the table says what its price changes and leaves while it is typed, exactly. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PriceCell } from "../../../../src/contract/price/price-cell.ts";
import { keyOf } from "./edit-prices.ts";
import { priceRows, shownRows } from "./price-row.ts";

const cell = (over: Partial<PriceCell>): PriceCell => ({
  model: "sandbox-large",
  type: "chat",
  tier: null,
  variant: null,
  kind: "input",
  unit: null,
  amount: "150",
  before: "150",
  cost: "100",
  from: 0,
  to: 5,
  editable: true,
  ...over,
});

const rowOf = (over: Partial<PriceCell>, typed?: string) => {
  const one = cell(over);
  const [row] = priceRows([one], new Map(typed === undefined ? [] : [[keyOf(one), typed]]));
  return [row?.changed, row?.change?.percent, row?.change?.big, row?.percent, row?.belowCost];
};

test("as it is in force, typed, below cost, to nothing, new, without a cost, unread", () => {
  const calm = [false, undefined, undefined, "33.3", false];
  assert.deepEqual(rowOf({}), calm);
  assert.deepEqual(rowOf({}, "150.00"), calm);
  assert.deepEqual(rowOf({}, "90"), [true, "-40.0", false, "-11.2", true]);
  assert.deepEqual(rowOf({}, "0"), [true, "-100.0", true, null, true]);
  assert.deepEqual(rowOf({ before: null }), [true, undefined, undefined, "33.3", false]);
  assert.deepEqual(rowOf({ cost: null }, "160"), [true, "6.6", false, null, false]);
  assert.deepEqual(rowOf({}, "?abc"), [true, undefined, undefined, null, false]);
  assert.deepEqual(rowOf({}, "9999999999"), [true, undefined, undefined, null, false]);
});

test("rows are found by every word of model, variant and kind, and those that are changed alone", () => {
  const cells = [
    cell({}),
    cell({ kind: "output", amount: "600", before: "500" }),
    cell({ model: "sandbox-small", variant: "speed: fast" }),
  ];
  const rows = priceRows(cells, new Map());
  const found = (text: string, onlyChanged = false) =>
    shownRows(rows, { text, onlyChanged }).map(({ cell: { model, kind } }) => `${model} ${kind}`);
  assert.deepEqual(found("LARGE in"), ["sandbox-large input"]);
  assert.deepEqual(found(" fast "), ["sandbox-small input"]);
  assert.deepEqual(found("", true), ["sandbox-large output"]);
  assert.deepEqual(found("nothing"), []);
});
