/**
 * Guarantee: no price changes by much unseen, whatever in the catalogue makes it: an amount, a tier
 * that goes, a multiplier, a price that is left out, a tool that was free.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Catalogue } from "./catalogue.ts";
import { comparePrices } from "./compare-prices.ts";
import { readCatalogue } from "../../test/support/read-catalogue.ts";

const ENV = { SANDBOX_URL: "http://127.0.0.1:1", SANDBOX_API_KEY: "x", KEY: "x" };
const SHIPPED = readFileSync(join(import.meta.dirname, "../../catalogue.yaml"), "utf8");

function read(source: string): Catalogue {
  const reading = readCatalogue(source, ENV);
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.catalogue;
}

function steps(before: string, after: string): string[] {
  return comparePrices(read(before), read(after)).map((step) =>
    [
      step.model,
      step.variant ?? "base",
      step.tier ?? 0,
      step.kind,
      `${step.before} → ${step.after}`,
      `${step.percent ?? "free"}${step.big ? "!" : ""}`,
    ].join(" | "),
  );
}

function edited(...edits: readonly (readonly [from: string, to: string])[]): string {
  return edits.reduce((source, [from, to]) => {
    assert.equal(source.split(from).length, 2, `${from} stands once in the shipped catalogue`);
    return source.replace(from, to);
  }, SHIPPED);
}

test("nothing changes where nothing does, and a first catalogue changes nothing", () => {
  assert.deepEqual(steps(SHIPPED, `${SHIPPED}\n# a comment\n`), []);
  assert.deepEqual(comparePrices(null, read(SHIPPED)), []);
});

test("one amount is one change: variants that multiply it change by the same share and are not repeated", () => {
  assert.deepEqual(
    steps(SHIPPED, edited(['price: { input: "150", cached', 'price: { input: "90", cached'])),
    ["sandbox-large | base | 0 | input | 150 → 90 | -40.0"],
  );
  assert.deepEqual(
    steps(SHIPPED, edited(['price: { input: "150", cached', 'price: { input: "15", cached'])),
    ["sandbox-large | base | 0 | input | 150 → 15 | -90.0!"],
  );
});

test("a multiplier, a tier that goes and a tool that becomes free are changes of what requests cost", () => {
  const dearer = steps(
    SHIPPED,
    edited([
      '      serviceTier: { priority: { multiply: "2" }, flex: { multiply: "0.5" } }\n      speed: #',
      '      serviceTier: { priority: { multiply: "20" }, flex: { multiply: "0.5" } }\n      speed: #',
    ]),
  );
  assert.ok(
    dearer.includes("sandbox-large | serviceTier: priority | 0 | input | 300 → 3000 | 900.0!"),
    dearer.join("\n"),
  );
  assert.ok(dearer.every((line) => line.includes("serviceTier: priority")));
  const [tiers = ""] = SHIPPED.match(/ {4}tiers:[^]*?(?= {4}surcharges:)/) ?? [];
  const flat = steps(SHIPPED, edited([tiers, ""]));
  assert.ok(
    flat.includes("sandbox-large | base | 128000 | input | 300 → 150 | -50.0!"),
    flat.join("\n"),
  );
  assert.deepEqual(
    steps(
      SHIPPED,
      edited([
        'tools: { web_search: { perCall: "0.9", maxCalls: 5 }, code_execution: { perRequest: "0.5" } }\n      free: [prediction]',
        'tools: { web_search: { perCall: "0.9", maxCalls: 5 } }\n      free: [prediction, code_execution]',
      ]),
    ),
    ["sandbox-large | tools | 0 | code_execution.perRequest | 0.5 → 0 | -100.0!"],
  );
});

test("a price that is left out is what stands for it: cached input costs what input costs", () => {
  const source = edited(['price: { input: "9", cachedInput: "0.9",', 'price: { input: "9",']);
  assert.deepEqual(steps(SHIPPED, source), [
    "sandbox-small | base | 0 | cachedInput | 0.9 → 9 | 900.0!",
  ]);
  const images = edited(['price: { input: "9",', 'price: { input: "9", imageInput: "90",']);
  assert.deepEqual(steps(SHIPPED, images), [
    "sandbox-small | base | 0 | imageInput | 9 → 90 | 900.0!",
  ]);
});

test("tasks by their choices, calls by their kinds, images by what is asked; from nothing is big", () => {
  assert.deepEqual(
    steps(
      SHIPPED,
      edited(
        [
          'amount: { by: resolution, values: { 480p: "4", 720p: "8", 1080p: "16" } }',
          'amount: { by: resolution, values: { 480p: "5", 720p: "8", 1080p: "16" } }',
        ],
        ['price: { documents1000: "15" }', 'price: { documents1000: "0" }'],
        ['1024x1024: { low: "1",', '1024x1024: { low: "2",'],
      ),
    ),
    [
      "sandbox-rerank | base | 0 | documents1000 | 15 → 0 | -100.0!",
      "sandbox-image | base | 0 | size=1024x1024, quality=low | 1 → 2 | 100.0!",
      "seedance-2 | base | 0 | resolution=480p, generateAudio=true | 8 → 10 | 25.0",
      "seedance-2 | base | 0 | resolution=480p, generateAudio=false | 4 → 5 | 25.0",
    ],
  );
  assert.deepEqual(
    steps(edited(['price: { documents1000: "15" }', 'price: { documents1000: "0" }']), SHIPPED),
    ["sandbox-rerank | base | 0 | documents1000 | 0 → 15 | free!"],
  );
});

test("lines of batches: a discount that goes is a change, and so is one that comes", () => {
  const source = (surcharges: string): string => `
upstreams: { u: { protocol: openai, baseUrl: "http://127.0.0.1:1/v1", apiKeyEnv: KEY } }
models:
  talk: { type: chat, endpoints: [chat.completions], contextTokens: 1000, maxOutputTokens: 100, price: { input: "20", output: "40" }, ${surcharges}routes: [{ upstream: u, model: m }] }
  vectors: { type: embedding, price: { input: "20" }, ${surcharges}routes: [{ upstream: u, model: m }] }
`;
  const half = source('surcharges: { serviceTier: { batch: { multiply: "0.5" } } }, ');
  const line = (model: string, kind: string, change: string): string =>
    `${model} | serviceTier: batch | 0 | ${kind} | ${change}`;
  assert.deepEqual(
    steps(half, source("")).filter((one) => !/cachedInput|reasoning/.test(one)),
    [
      line("talk", "input", "10 → 20 | 100.0!"),
      line("talk", "output", "20 → 40 | 100.0!"),
      line("vectors", "input", "10 → 20 | 100.0!"),
    ],
  );
  assert.ok(steps(source(""), half).includes(line("vectors", "input", "20 → 10 | -50.0!")));
});
