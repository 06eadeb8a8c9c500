/**
 * Guards models that are answered in one call: a price of exactly one form of their type compiles
 * exactly, any other is worded with its place, and margins say what each amount leaves.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCatalogue } from "../../test/support/read-catalogue.ts";
import { CALL_TYPES } from "../contract/enums/call-endpoint.ts";
import { describeCallPrice } from "../contract/price/call-price-body.ts";
import type { Catalogue } from "./catalogue.ts";
import { compareCatalogues } from "./compare-catalogues.ts";
import { compareMargins } from "./compare-margins.ts";
import { mistakeLine } from "./live-catalogue.ts";

const ENV = { KEY: "secret-value" };

function file(type: string, price: string, more = "", route = ""): string {
  return `
upstreams:
  up: { protocol: openai, baseUrl: "https://up.example/v1", apiKeyEnv: KEY }
  other: { protocol: anthropic, baseUrl: "https://other.example", apiKeyEnv: KEY }
models:
  one: { type: ${type}, price: ${price}, routes: [ { upstream: up, model: m${route} } ]${more} }
`;
}

function mistakesOf(source: string): string[] {
  const reading = readCatalogue(source, ENV);
  return reading.ok ? [] : reading.mistakes.map(mistakeLine);
}

function catalogueOf(source: string): Catalogue {
  const reading = readCatalogue(source, ENV);
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.catalogue;
}

const WINDOW = ", contextTokens: 1000";
const TABLE =
  '{ image: { by: [size, quality], values: { 1024x1024: { low: "1", high: "15.5" }, auto: { low: "2", high: "20" } } } }';
const FORMS: readonly (readonly [type: string, price: string, more?: string])[] = [
  ["embedding", '{ input: "12" }'],
  ["embedding", '{ input: "12" }', WINDOW],
  ["rerank", '{ request: "0.04" }'],
  ["rerank", '{ documents1000: "15" }'],
  ["image", '{ image: "4.5" }'],
  ["image", '{ image: { by: size, values: { 1024x1024: "1" } } }'],
  ["image", TABLE],
  ["image", '{ input: "500", cachedInput: "125", imageInput: "1000", output: "4000" }'],
  ["speech", '{ characters1M: "1500" }'],
  ["transcription", '{ second: "0.01" }'],
  ["transcription", '{ input: "250", audioInput: "600", output: "1000" }'],
  ["moderation", '{ request: "0" }'],
  ["moderation", '{ input: "5" }'],
  ["completion", '{ request: "0.5" }', WINDOW],
  ["completion", '{ input: "100", output: "200" }', WINDOW],
];

for (const [type, price, more = ""] of FORMS)
  test(`${type} for ${price}`, () => {
    const model = catalogueOf(file(type, price, more)).models.get("one");
    assert.ok(model !== undefined && model.type === type);
    assert.notEqual(model.type, "chat");
    const described = JSON.stringify(describeCallPrice(model.price as never)).replaceAll('"', "");
    const written = price.replaceAll(/[" ]/g, "").replace("by:size,", "by:[size],");
    assert.equal(described, written);
  });

test("every type has a form among these", () => {
  assert.deepEqual(
    [...new Set(FORMS.map(([type]) => type))].toSorted(),
    [...CALL_TYPES].toSorted(),
  );
});

const MISTAKES: readonly (readonly [what: string, source: string, worded: RegExp])[] = [
  ["nothing stated", file("embedding", "{}"), /models\.one\.price: .*states input/],
  [
    "two forms",
    file("rerank", '{ request: "1", documents1000: "2" }'),
    /request, or documents1000/,
  ],
  ["half of a form", file("completion", '{ input: "1" }', WINDOW), /request, or input \+ output/],
  [
    "a kind of another type",
    file("embedding", '{ input: "1", output: "2" }'),
    /unknown key "output"/,
  ],
  ["a negative price", file("speech", '{ characters1M: "-1" }'), /negative/],
  ["no price", file("moderation", "{}"), /price/],
  ["no window", file("completion", '{ request: "1" }'), /contextTokens/],
  [
    "a table by one with values by two",
    file("image", '{ image: { by: size, values: { a: { low: "1" } } } }'),
    /price\.image\.values\.a: .*1 parameter/,
  ],
  [
    "a table by two with values by one",
    file("image", '{ image: { by: [size, quality], values: { a: "1" } } }'),
    /2 parameters/,
  ],
  [
    "a parameter twice",
    file("image", '{ image: { by: [size, size], values: { a: { b: "1" } } } }'),
    /size stands here twice/,
  ],
  [
    "another parameter",
    file("image", '{ image: { by: style, values: { a: "1" } } }'),
    /price\.image\.by/,
  ],
  ["an empty table", file("image", "{ image: { by: size, values: {} } }"), /values/],
  [
    "a cost of no form",
    file("rerank", '{ request: "1" }', "", ', cost: { input: "1" }'),
    /routes\[0\]\.cost/,
  ],
  [
    "what a batch costs where nothing else is said to",
    file(
      "embedding",
      '{ input: "1" }',
      "",
      ', costSurcharges: { serviceTier: { batch: { multiply: "0.5" } } }',
    ),
    /routes\[0\]\.costSurcharges/,
  ],
  [
    "what a batch costs of what is not in batches",
    file(
      "rerank",
      '{ request: "1" }',
      "",
      ', cost: { request: "1" }, costSurcharges: { serviceTier: { batch: { multiply: "0.5" } } }',
    ),
    /costSurcharges/,
  ],
  [
    "an upstream of another protocol",
    file("embedding", '{ input: "1" }').replace("upstream: up", "upstream: other"),
    /other/,
  ],
];

for (const [what, source, worded] of MISTAKES)
  test(`${what} is a mistake`, () => {
    assert.match(mistakesOf(source).join("\n"), worded);
  });

test("a family cannot stand for such a model", () => {
  const families = "families: { large: { model: one } }\n";
  assert.match(mistakesOf(families + file("embedding", '{ input: "1" }')).join("\n"), /one/);
});

test("margins: each amount against the dearest cost that counts the same", () => {
  const priced = file("image", TABLE, "", `, cost: ${TABLE.replace('"15.5"', '"16"')}`);
  const [row] = compareMargins(null, catalogueOf(priced));
  assert.deepEqual(
    row?.lines.map(({ kind, after, belowCost }) => [kind, after?.price, after?.cost, belowCost]),
    [
      ["size=1024x1024, quality=low", "1", "1", false],
      ["size=1024x1024, quality=high", "15.5", "16", true],
      ["size=auto, quality=low", "2", "2", false],
      ["size=auto, quality=high", "20", "20", false],
    ],
  );
  const other = file("rerank", '{ request: "1" }', "", ', cost: { documents1000: "3" }');
  assert.equal(compareMargins(null, catalogueOf(other))[0]?.lines[0]?.after?.cost, null);
});

test("a new version's changes name the amounts", () => {
  const before = catalogueOf(file("rerank", '{ request: "1" }'));
  const after = catalogueOf(file("rerank", '{ documents1000: "2" }'));
  assert.deepEqual(compareCatalogues(before, after).pricesChanged, [
    { model: "one", field: "request", before: "1", after: "none" },
    { model: "one", field: "documents1000", before: "none", after: "2" },
  ]);
});
