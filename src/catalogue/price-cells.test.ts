/**
 * Guarantee: beside each price in the table stands what its dearest route takes for that very thing,
 * and what is in force.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { PriceCell } from "../contract/price/price-cell.ts";
import { readCatalogue } from "../../test/support/read-catalogue.ts";
import { priceCells, type Written } from "./price-cells.ts";

const ENV = { SANDBOX_URL: "http://127.0.0.1:1", SANDBOX_API_KEY: "x" };
const SHIPPED = readFileSync(join(import.meta.dirname, "../../catalogue.yaml"), "utf8");

function written(source: string): Written {
  const reading = readCatalogue(source, ENV);
  assert.ok(reading.ok, JSON.stringify(reading));
  return { source, catalogue: reading.catalogue };
}

function changed(from: string, to: string): string {
  assert.equal(SHIPPED.split(from).length, 2, `${from} stands once in the shipped catalogue`);
  return SHIPPED.replace(from, to);
}

function costs(cells: readonly PriceCell[], model: string): string[] {
  return cells
    .filter((cell) => cell.model === model)
    .map(({ tier, variant, kind, amount, cost }) =>
      [variant ?? "base", tier ?? 0, kind, amount, cost ?? "?"].join(" | "),
    );
}

test("the cost is of the same tier, variant, tool and choice; where no route says it, it is not known", () => {
  const cells = priceCells(written(SHIPPED), null);
  const large = costs(cells, "sandbox-large");
  for (const line of [
    "base | 0 | input | 150 | 100",
    "base | 128000 | output | 1200 | 800",
    "speed: fast | 0 | input | 300 | 200",
    "tools | 0 | web_search.perCall | 0.9 | 0.6",
  ])
    assert.ok(large.includes(line), `${line} in\n${large.join("\n")}`);
  assert.deepEqual(costs(cells, "sandbox-transcription"), ["base | 0 | second | 0.01 | 0.006"]);
  assert.deepEqual(costs(cells, "sandbox-image").slice(0, 1), [
    "base | 0 | size=1024x1024, quality=low | 1 | ?",
  ]);
  assert.deepEqual(costs(cells, "seedream/4.5-edit"), [
    "base | 0 | quality=basic | 4.5 | 2.93",
    "base | 0 | quality=high | 6 | 2.93",
  ]);
  assert.deepEqual(
    [...new Set(cells.map(({ before }) => before))],
    [null],
    "nothing to compare with",
  );
});

test("what multiplies price and cost alike leaves the cost of one amount; what multiplies the cost alone raises it", () => {
  const of = (source: string) => costs(priceCells(written(source), null), "seedance-2").slice(0, 1);
  assert.deepEqual(of(SHIPPED), ["base | 0 | resolution=480p | 4 | 2.7"]);
  const dearer = changed(
    'values: { 480p: "2.7", 720p: "5.4", 1080p: "10.8" } }\n          multiply: [{ when: { generateAudio: true }, by: "2" }]',
    'values: { 480p: "2.7", 720p: "5.4", 1080p: "10.8" } }\n          multiply: [{ when: { generateAudio: true }, by: "3" }]',
  );
  assert.deepEqual(of(dearer), ["base | 0 | resolution=480p | 4 | 4.05"]);
});

test("a number of units is part of one price: the cost is brought down to one amount, and rounded up", () => {
  const three = changed(
    'price: { unit: video, quantity: 1, amount: "12" }',
    'price: { unit: video, quantity: 3, amount: "12" }',
  ).replace(
    'cost: { unit: video, quantity: 1, amount: "7.5" }',
    'cost: { unit: video, quantity: 1, amount: "10" }',
  );
  assert.deepEqual(costs(priceCells(written(three), null), "autocaption"), [
    "base | 0 | video | 12 | 3.333333334",
  ]);
});

test("what is in force stands beside it, by model, tier, variant and kind, wherever it stands now", () => {
  const now = written(
    `# moved\n${changed('price: { input: "9",', 'price: { input: "10.50", imageInput: "11",')}`,
  );
  const cells = priceCells(now, written(SHIPPED)).filter(({ model }) => model === "sandbox-small");
  assert.deepEqual(
    cells.slice(0, 3).map(({ kind, amount, before }) => [kind, amount, before]),
    [
      ["input", "10.5", "9"],
      ["imageInput", "11", null],
      ["cachedInput", "0.9", "0.9"],
    ],
  );
});
