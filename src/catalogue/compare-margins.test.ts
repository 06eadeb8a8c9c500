/**
 * Guarantee: whatever a catalogue sells below its cost is named before it is sold: every kind,
 * tier, variant, tool and choice of a task.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Catalogue } from "./catalogue.ts";
import { compareMargins } from "./compare-margins.ts";
import { parseCatalogue } from "./parse-catalogue.ts";

const SHIPPED = readFileSync(join(import.meta.dirname, "../../catalogue.yaml"), "utf8");

function read(source: string): Catalogue {
  const reading = parseCatalogue(source, {
    SANDBOX_URL: "http://127.0.0.1:1",
    SANDBOX_API_KEY: "x",
  });
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.catalogue;
}

function losses(source: string): string[] {
  return compareMargins(null, read(source)).flatMap(({ model, tier, variant, lines }) =>
    lines
      .filter(({ belowCost }) => belowCost)
      .map(({ kind }) => [model, variant ?? "base", tier ?? 0, kind].join(" | ")),
  );
}

function changed(from: string, to: string): string {
  assert.equal(SHIPPED.split(from).length, 2, `${from} stands once in the shipped catalogue`);
  return SHIPPED.replace(from, to);
}

test("the shipped catalogue sells nothing below its cost", () => {
  assert.deepEqual(losses(SHIPPED), []);
});

test("one price below its cost is named in every tier and variant where it is so", () => {
  const cheap = changed('price: { input: "150", cachedInput', 'price: { input: "90", cachedInput');
  assert.deepEqual(losses(cheap), [
    "sandbox-large | base | 0 | input",
    "sandbox-large | serviceTier: priority | 0 | input",
    "sandbox-large | serviceTier: flex | 0 | input",
    "sandbox-large | inferenceGeo: us | 0 | input",
  ]);
});

test("a tier of the cost that the price does not have, a dearer variant and a dearer tool are losses", () => {
  const [flat = ""] = SHIPPED.match(/ {4}tiers:[^]*?(?= {4}surcharges:)/) ?? [];
  assert.notEqual(flat, "");
  const withoutTier = losses(SHIPPED.replace(flat, ""));
  assert.ok(withoutTier.includes("sandbox-large | base | 128000 | input"), withoutTier.join("\n"));
  const priority = losses(
    changed(
      'priority: { multiply: "2" }, flex: { multiply: "0.5" } }\n          speed',
      'priority: { multiply: "4" }, flex: { multiply: "0.5" } }\n          speed',
    ),
  );
  assert.ok(
    priority.includes("sandbox-large | serviceTier: priority | 0 | output"),
    priority.join("\n"),
  );
  assert.deepEqual(
    losses(changed('web_search: { perCall: "0.6" }', 'web_search: { perCall: "1" }')),
    ["sandbox-large | tools | 0 | web_search.perCall"],
  );
});

test("a task is compared for each choice of its parameters", () => {
  const dear = changed(
    'cost: { unit: second, quantity: duration, amount: { by: resolution, values: { 480p: "2.7", 720p: "5" } } }',
    'cost: { unit: second, quantity: duration, amount: { by: resolution, values: { 480p: "2.7", 720p: "8" } } }',
  );
  assert.deepEqual(losses(dear), ["grok-imagine-video-1-5-preview | base | 0 | resolution=720p"]);
});

test("before and after stand side by side, to a tenth of a percent, and an unknown cost is no margin", () => {
  const before = read(SHIPPED);
  const after = read(changed('price: { input: "9",', 'price: { input: "5.5",'));
  const small = compareMargins(before, after).find(
    ({ model, tier, variant }) => model === "sandbox-small" && tier === null && variant === null,
  );
  const [input] = small?.lines ?? [];
  assert.deepEqual(input, {
    kind: "input",
    before: { price: "9", cost: "6", margin: "3", percent: "33.3" },
    after: { price: "5.5", cost: "6", margin: "-0.5", percent: "-9.1" },
    belowCost: true,
  });
  const unknown = read(
    changed(
      '      - { upstream: sandbox-chat, model: echo-small, cost: { input: "6", cachedInput: "0.6", cacheWrite5m: "7.5", cacheWrite1h: "12", output: "24" } }',
      "      - { upstream: sandbox-chat, model: echo-small }",
    ),
  );
  const rows = compareMargins(before, unknown).filter(({ model }) => model === "sandbox-small");
  assert.deepEqual(rows[0]?.lines[0]?.after, {
    price: "9",
    cost: null,
    margin: null,
    percent: null,
  });
  assert.equal(rows[0]?.belowCost, false);
});

const BATCHES = `
upstreams:
  alone: { protocol: openai, baseUrl: "http://127.0.0.1:1/v1", apiKeyEnv: KEY }
  passed: { protocol: openai, baseUrl: "http://127.0.0.1:2/v1", apiKeyEnv: KEY, batches: true }
models:
${[
  ["half", "surcharges: { serviceTier: { batch: { multiply: 0.5 } } }, ", "passed", "0.25"],
  ["whole", "", "passed", "0.25"],
  ["vague", "", "passed", null],
  ["one-by-one", "surcharges: { serviceTier: { batch: { multiply: 0.5 } } }, ", "alone", "0.25"],
]
  .flatMap(([name, surcharges, upstream, batch]) => {
    const lines =
      batch === null ? "" : `, costSurcharges: { serviceTier: { batch: { multiply: ${batch} } } }`;
    const route = (cost: string): string =>
      `routes: [{ upstream: ${upstream}, model: m, cost: ${cost}${lines} }]`;
    return [
      `  ${name}: { type: chat, endpoints: [chat.completions], contextTokens: 1000, maxOutputTokens: 100, price: { input: "20", output: "20" }, ${surcharges}${route('{ input: "12", output: "12" }')} }`,
      `  ${name}-vectors: { type: embedding, price: { input: "20" }, ${surcharges}${route('{ input: "12" }')} }`,
    ];
  })
  .join("\n")}
`;

test("a batch costs what its upstream takes for one, an ordinary request where it has none, and is not known where the route does not say it", () => {
  const rows = compareMargins(null, read(BATCHES)).filter(
    ({ variant }) => variant === "serviceTier: batch",
  );
  const inputs = rows.map(({ model, lines, belowCost }) => {
    const { price, cost } = lines.find(({ kind }) => kind === "input")?.after ?? assert.fail();
    return [model, price, cost, belowCost];
  });
  assert.deepEqual(
    inputs,
    [
      ["half", "10", "3", false],
      ["whole", "20", "3", false],
      ["vague", "20", null, false],
      ["one-by-one", "10", "12", true],
    ].flatMap(([model, ...figures]) => [
      [model, ...figures],
      [`${String(model)}-vectors`, ...figures],
    ]),
  );
});
