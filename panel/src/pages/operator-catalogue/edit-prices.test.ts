/**
 * Protects: a price that is edited in the table changes that price alone: every other character of
 * the catalogue stays, and the gateway reads the new amount there.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseCatalogue } from "../../../../src/catalogue/parse-catalogue.ts";
import { priceCells } from "../../../../src/catalogue/price-cells.ts";
import type { PriceCell } from "../../../../src/contract/price/price-cell.ts";
import { isPrice, keyOf, withPrices } from "./edit-prices.ts";

const SHIPPED = readFileSync(join(import.meta.dirname, "../../../../catalogue.yaml"), "utf8");
const ENV = { SANDBOX_URL: "http://127.0.0.1:1", SANDBOX_API_KEY: "x" };

function cellsOf(source: string): readonly PriceCell[] {
  const reading = parseCatalogue(source, ENV);
  assert.ok(reading.ok, JSON.stringify(reading));
  return priceCells({ source, catalogue: reading.catalogue }, null);
}

const amounts = (cells: readonly PriceCell[]): ReadonlyMap<string, string> =>
  new Map(cells.map((cell) => [keyOf(cell), cell.amount]));

test("all prices of the shipped catalogue at once: the gateway reads each, and comments and order stay", () => {
  const cells = cellsOf(SHIPPED);
  const wanted = new Map(cells.map((cell, at) => [keyOf(cell), `${at + 1}.${at + 1}01`]));
  const edited = withPrices(SHIPPED, cells, wanted);
  assert.deepEqual(amounts(cellsOf(edited)), wanted);
  const back = withPrices(edited, cellsOf(edited), amounts(cells));
  assert.equal(back, SHIPPED);
});

test("one price of each form: what is before and after it is the same text", () => {
  const source = SHIPPED.replace('input: "9"', "input: 9.50 ").replace(
    'output: "36"',
    "output: '36'",
  );
  const cells = cellsOf(source);
  for (const [kind, amount, written] of [
    ["input", "7", "7"],
    ["output", "40.000000001", "'40.000000001'"],
    ["cacheWrite1h", "0", '"0"'],
  ] as const) {
    const cell = cells.find((one) => one.model === "sandbox-small" && one.kind === kind);
    assert.ok(cell);
    assert.equal(
      withPrices(source, cells, new Map([[keyOf(cell), amount]])),
      `${source.slice(0, cell.from)}${written}${source.slice(cell.to)}`,
    );
  }
});

test("what is no price, the same amount in other words, and a shared price leave the text as it is", () => {
  const cells = cellsOf(SHIPPED.replace('input: "9"', 'input: "9.50"'));
  const source = SHIPPED.replace('input: "9"', 'input: "9.50"');
  const input = cells.find((one) => one.model === "sandbox-small" && one.kind === "input");
  assert.ok(input);
  for (const text of ["", "?abc", "-1", "1e3", "9.5", "1.0000000001", "10000001", '1", output: "0'])
    assert.equal(withPrices(source, cells, new Map([[keyOf(input), text]])), source, text);
  const shared = [{ ...input, editable: false }];
  assert.equal(withPrices(source, shared, new Map([[keyOf(input), "1"]])), source);
  assert.deepEqual(["0", "10000000", "10000000.000000001", "99999999", "?1", ""].map(isPrice), [
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
