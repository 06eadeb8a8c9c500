/**
 * Guarantee: against an upstream's list an operator sees what is new, gone or dearer, counted exactly in
 * roubles; absurd prices are told and never proposed; what is taken over stands in its own place.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readCatalogue } from "../../test/support/read-catalogue.ts";
import { withTaken } from "../../panel/src/pages/operator-catalogue/take-rows.ts";
import { parseDecimal, type Decimal } from "../contract/price/decimal.ts";
import { readModelList, type ListedModel } from "../protocol/model-list/read-model-list.ts";
import { comparePrices } from "./compare-prices.ts";
import { compareWithList } from "./compare-with-list.ts";
import type { Written } from "./price-cells.ts";

const ENV = { SANDBOX_URL: "http://127.0.0.1:1", SANDBOX_API_KEY: "x" };
const SHIPPED = readFileSync(join(import.meta.dirname, "../../catalogue.yaml"), "utf8");

function written(source: string): Written {
  const reading = readCatalogue(source, ENV);
  assert.ok(reading.ok, JSON.stringify(reading));
  return { source, catalogue: reading.catalogue };
}

function decimal(text: string): Decimal {
  return parseDecimal(text) ?? assert.fail(text);
}

function listed(...data: readonly object[]): readonly ListedModel[] {
  const reading = readModelList({ data });
  assert.ok(reading.kind === "list");
  return reading.models;
}

const TERMS = {
  upstream: "sandbox-chat",
  rate: decimal("100"),
  markup: decimal("50"),
  partial: false,
};
const SMALL = { prompt: "0.00000006", completion: "0.00000024", input_cache_read: "0.000000006" };
const small = (pricing: object) => ({ id: "echo-small", pricing: { ...SMALL, ...pricing } });

const shown = (source: string, models: readonly ListedModel[], terms: object = {}) =>
  compareWithList(written(source), models, { ...TERMS, ...terms });

test("a cost that is the same is no row; one that is not has its place, percent, and whether it is big", () => {
  assert.deepEqual(shown(SHIPPED, listed(small({}))).costs, []);
  const { costs } = shown(
    SHIPPED,
    listed(small({ prompt: "0.000000065", completion: "0.0000006" })),
  );
  assert.deepEqual(
    costs.map(({ model, kind, before, after, percent, big, from, to, editable }) => [
      `${model} ${kind} ${before} ${after} ${percent}`,
      big,
      SHIPPED.slice(from ?? 0, to ?? 0),
      editable,
    ]),
    [
      ["sandbox-small input 6 6.5 8.3", false, '"6"', true],
      ["sandbox-small output 24 60 150.0", true, '"24"', true],
    ],
  );
  const line = SHIPPED.split("\n")[(costs[0]?.line ?? 0) - 1];
  assert.match(line ?? "", /model: echo-small/);
});

test("roubles are exact, rounded up to the smallest amount that a price can have", () => {
  const { costs } = shown(SHIPPED, listed(small({ prompt: "0.0000000000000001" })), {
    rate: decimal("97.123457"),
  });
  assert.equal(costs.find(({ kind }) => kind === "input")?.after, "0.00000001");
});

test("a kind that the text has no amount of is shown and cannot be taken over", () => {
  const source = SHIPPED.replace('input: "6", cachedInput: "0.6"', 'input: "6"');
  const [row] = shown(source, listed(small({}))).costs;
  assert.deepEqual(
    [row?.kind, row?.before, row?.after, row?.editable, row?.from],
    ["cachedInput", null, "0.6", false, null],
  );
});

test("an amount that stands for several things is shown and not editable", () => {
  const source = SHIPPED.replace(
    'model: echo-small, cost: { input: "6"',
    'model: echo-small, cost: { input: &six "6"',
  ).replace(
    'model: judge-small, cost: { request: "0.005" }',
    "model: judge-small, cost: { request: *six }",
  );
  const { costs } = shown(source, listed(small({ prompt: "0.00000007" })));
  assert.deepEqual(
    costs.map(({ kind, editable }) => [kind, editable]),
    [["input", false]],
  );
});

test("what is not listed is gone, unless the list is longer than what was read", () => {
  const models = listed(small({}));
  const { gone } = shown(SHIPPED, models);
  assert.ok(gone.some(({ model }) => model === "sandbox-large"));
  assert.ok(gone.every(({ model }) => model !== "sandbox-small"));
  assert.deepEqual(shown(SHIPPED, models, { partial: true }).gone, []);
});

test("negative, absurd and worded prices are told by name, and no cost is made of them", () => {
  const models = listed(
    small({ prompt: "-1", completion: "free", input_cache_read: "1e12" }),
    { id: "router", context_length: 9, pricing: { prompt: "-1", completion: "-1" } },
    { id: "dear", context_length: 9, pricing: { prompt: "1", completion: "0" } },
  );
  const { costs, fresh, odd } = shown(SHIPPED, models);
  assert.deepEqual(costs, []);
  assert.deepEqual(odd, [
    { id: "echo-small", fields: ["prompt", "completion", "cachedInput"] },
    { id: "router", fields: ["prompt", "completion"] },
    { id: "dear", fields: ["input"] },
  ]);
  assert.deepEqual(
    fresh.map(({ id, text }) => [id, text]),
    [
      ["router", null],
      ["dear", null],
    ],
  );
});

test("without a rate, or without prices, only names are compared", () => {
  const bare = shown(SHIPPED, listed({ id: "echo-small" }, { id: "other" }));
  assert.deepEqual(
    [bare.costs, bare.fresh.map(({ id, text }) => [id, text])],
    [[], [["other", null]]],
  );
  const models = listed(small({ prompt: "1" }), { id: "x", pricing: SMALL, context_length: 10 });
  const noRate = shown(SHIPPED, models, { rate: null });
  assert.deepEqual([noRate.costs, noRate.fresh[0]?.text], [[], null]);
});

test("the draft of a new model, and costs that are taken over, make a catalogue in order with all else as it was", () => {
  const next = {
    id: "vendor/next:free",
    name: 'Next "1"\n',
    context_length: 1_000,
    top_provider: { max_completion_tokens: null },
    pricing: { prompt: "0.000001", completion: "0.000002" },
  };
  const compared = shown(SHIPPED, listed(small({ prompt: "0.00000007" }), next));
  const source = withTaken(SHIPPED, {
    costs: compared.costs,
    models: compared.fresh,
    endOfModels: compared.endOfModels,
  });
  const { catalogue } = written(source);
  const model = catalogue.models.get("vendor/next:free");
  assert.ok(model?.type === "chat");
  assert.deepEqual(
    [
      model.price.input,
      model.price.output,
      model.routes[0]?.cost?.price.input,
      model.maxOutputTokens,
    ],
    [150_000_000_000n, 300_000_000_000n, 100_000_000_000n, 1_000],
  );
  // What customers pay is as it was.
  assert.deepEqual(comparePrices(written(SHIPPED).catalogue, catalogue), []);
  const comments = (text: string): string[] => text.match(/#.*$/gm) ?? [];
  assert.deepEqual(comments(source), comments(SHIPPED));
  const draft = compared.fresh[0]?.text ?? "";
  assert.equal(
    source.replace(`\n${draft}`, "").replace('cost: { input: "7"', 'cost: { input: "6"'),
    SHIPPED,
  );
  assert.equal(
    shown(source, listed(small({ prompt: "0.00000007" }), next)).fresh.length,
    0,
    "it is new no more",
  );
});

test("models in braces have no place for another", () => {
  const source = `
upstreams: { sandbox-chat: { protocol: openai, baseUrl: "http://127.0.0.1:1", apiKeyEnv: SANDBOX_API_KEY } }
models: { a: { type: chat, endpoints: [chat.completions], contextTokens: 9, maxOutputTokens: 9, price: { input: "1", output: "1" }, routes: [{ upstream: sandbox-chat, model: a }] } }
`;
  assert.equal(shown(source, listed({ id: "b" })).endOfModels, null);
});
