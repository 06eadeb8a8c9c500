/**
 * Guards the summary an operator reads before new prices are put in force: every change shows, what
 * did not change does not.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Catalogue } from "./catalogue.ts";
import { compareCatalogues, describeChanges } from "./compare-catalogues.ts";
import { parseCatalogue } from "./parse-catalogue.ts";

const BEFORE = `
upstreams:
  one: { protocol: openai, baseUrl: "https://one.example", apiKeyEnv: KEY }
  gone: { protocol: openai, baseUrl: "https://gone.example", apiKeyEnv: KEY }
  media: { protocol: kie, baseUrl: "https://kie.example", apiKeyEnv: KEY }
models:
  a: { type: chat, endpoints: [messages], contextTokens: 10, maxOutputTokens: 5, price: { input: "1.0", output: "2" }, routes: [ { upstream: one, model: a } ] }
  b: { type: chat, endpoints: [messages], contextTokens: 10, maxOutputTokens: 5, price: { input: 1, output: 2 }, routes: [ { upstream: one, model: b } ] }
  old: { type: chat, endpoints: [messages], contextTokens: 10, maxOutputTokens: 5, price: { input: 1, output: 2 }, routes: [ { upstream: gone, model: c } ] }
  video: { type: task, parameters: T9, price: { unit: second, quantity: duration, amount: 4 }, routes: [ { upstream: media, model: v, cost: { unit: second, quantity: 1, amount: { by: resolution, values: { 720p: 1 } } } } ] }
families: { large: { model: a } }
`;

function compile(source: string): Catalogue {
  const reading = parseCatalogue(source, { KEY: "x" });
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.catalogue;
}

test("models, prices, upstreams and families that changed are named, others are not", () => {
  const after = compile(
    BEFORE.replace(/ {2}gone:.*\n/, "")
      .replace(
        / {2}old:.*\n/,
        "  new: { type: chat, endpoints: [messages], contextTokens: 10, maxOutputTokens: 5, price: { input: 1, output: 2 }, routes: [ { upstream: fresh, model: c } ] }\n",
      )
      .replace(
        "upstreams:\n",
        'upstreams:\n  fresh: { protocol: openai, baseUrl: "https://fresh.example", apiKeyEnv: KEY }\n',
      )
      .replace('input: "1.0", output: "2"', "input: 1, output: 2.5")
      .replace("model: b }", "model: b2 }")
      .replace("https://one.example", "https://one2.example")
      .replace(
        "amount: 4",
        'amount: { by: resolution, values: { 720p: 8 } }, multiply: [ { when: { generateAudio: true }, by: "1.50" } ]',
      )
      .replace("{ large: { model: a } }", "{ large: { model: b } }"),
  );
  assert.deepEqual(describeChanges(compareCatalogues(compile(BEFORE), after)), [
    "+ model new",
    "- model old",
    "~ price of a, output: 2 → 2.5",
    "~ price of a, reasoning: 2 → 2.5",
    "~ price of video, price: duration × 4 per second → duration × resolution(720p 8) per second, × 1.50 when generateAudio=true",
    "~ model b",
    "+ upstream fresh",
    "- upstream gone",
    "~ upstream one",
    "~ families",
  ]);
});

test("a cost that changed deep in a table is a change of its model", () => {
  const after = compile(BEFORE.replace("{ 720p: 1 }", "{ 720p: 2 }"));
  assert.deepEqual(describeChanges(compareCatalogues(compile(BEFORE), after)), ["~ model video"]);
});

test("the same catalogue written otherwise has no changes; the first one has everything added", () => {
  assert.deepEqual(
    describeChanges(
      compareCatalogues(compile(BEFORE), compile(`# a comment\n${BEFORE.replace('"1.0"', "1")}`)),
    ),
    [],
  );
  assert.deepEqual(describeChanges(compareCatalogues(null, compile(BEFORE))), [
    "+ model a",
    "+ model b",
    "+ model old",
    "+ model video",
    "+ upstream one",
    "+ upstream gone",
    "+ upstream media",
  ]);
});
