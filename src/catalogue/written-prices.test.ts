/**
 * Guarantee: every price of a catalogue is found where it stands in its text, and what is written
 * once for several prices is not taken for one of them.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatRoubles } from "../kernel/money.ts";
import { readCatalogue } from "../../test/support/read-catalogue.ts";
import { writtenPrices, type WrittenPrice } from "./written-prices.ts";

const ENV = { SANDBOX_URL: "http://127.0.0.1:1", SANDBOX_API_KEY: "x", KEY: "x" };
const SHIPPED = readFileSync(join(import.meta.dirname, "../../catalogue.yaml"), "utf8");

function read(source: string): WrittenPrice[] {
  const reading = readCatalogue(source, ENV);
  assert.ok(reading.ok, JSON.stringify(reading));
  return writtenPrices(source, reading.catalogue.models.values());
}

const linesOf = (source: string, model: string): string[] =>
  read(source)
    .filter((price) => price.model === model)
    .map(({ tier, variant, kind, amountNano, from, to, editable }) =>
      [
        variant ?? "base",
        tier ?? 0,
        kind,
        formatRoubles(amountNano),
        source.slice(from, to),
        ...(editable ? [] : ["shared"]),
      ].join(" | "),
    );

test("the shipped catalogue's: by tier, variant and tool, by values of a task, by what an image is asked as", () => {
  const large = linesOf(SHIPPED, "sandbox-large");
  assert.equal(large.length, 5 + 5 + 5 + 2);
  for (const line of [
    'base | 0 | input | 150 | "150"',
    'base | 128000 | output | 1200 | "1200"',
    'speed: fast | 0 | cachedInput | 30 | "30"',
    'tools | 0 | web_search.perCall | 0.9 | "0.9"',
    'tools | 0 | code_execution.perRequest | 0.5 | "0.5"',
  ])
    assert.ok(large.includes(line), line);
  assert.deepEqual(linesOf(SHIPPED, "kling-3.0/video"), [
    'base | 0 | mode=std, sound=false | 9.5 | "9.5"',
    'base | 0 | mode=std, sound=true | 13.5 | "13.5"',
    'base | 0 | mode=pro, sound=false | 12.5 | "12.5"',
    'base | 0 | mode=pro, sound=true | 18.5 | "18.5"',
    'base | 0 | mode=4K | 45 | "45"',
  ]);
  assert.deepEqual(linesOf(SHIPPED, "autocaption"), ['base | 0 | video | 12 | "12"']);
  assert.deepEqual(linesOf(SHIPPED, "sandbox-image").slice(2, 4), [
    'base | 0 | size=1024x1024, quality=high | 15 | "15"',
    'base | 0 | size=1536x1024, quality=low | 1.5 | "1.5"',
  ]);
  assert.deepEqual(linesOf(SHIPPED, "sandbox-rerank"), ['base | 0 | documents1000 | 15 | "15"']);
  assert.ok(read(SHIPPED).every(({ editable }) => editable));
});

const UPSTREAM =
  'upstreams: { u: { protocol: openai, baseUrl: "http://127.0.0.1:1/v1", apiKeyEnv: KEY } }';
const HEAD = "type: chat, endpoints: [chat.completions], contextTokens: 1000, maxOutputTokens: 100";
const ROUTES = "routes: [{ upstream: u, model: m }]";

test("numbers, both quotes and comments between; anchors and aliases that share a price", () => {
  const source = [
    UPSTREAM,
    "models:",
    `  plain: { ${HEAD}, price: { input: 4.50, output: '7' }, ${ROUTES} } # a price of "4.50"`,
    `  first: { ${HEAD}, price: &both { input: "1", output: "2" }, ${ROUTES} }`,
    `  second: { ${HEAD}, price: *both, ${ROUTES} }`,
    `  third: { ${HEAD}, price: { input: &in "3", output: *in }, ${ROUTES} }`,
    `  named: { ${HEAD}, price: { input: &unused "5", output: "6" }, ${ROUTES} }`,
    "",
  ].join("\n");
  assert.deepEqual(linesOf(source, "plain"), [
    "base | 0 | input | 4.5 | 4.50",
    "base | 0 | output | 7 | '7'",
  ]);
  for (const model of ["first", "second"])
    assert.deepEqual(
      linesOf(source, model),
      ['base | 0 | input | 1 | "1" | shared', 'base | 0 | output | 2 | "2" | shared'],
      model,
    );
  assert.deepEqual(linesOf(source, "third"), [
    'base | 0 | input | 3 | "3" | shared',
    'base | 0 | output | 3 | "3" | shared',
  ]);
  assert.deepEqual(linesOf(source, "named"), [
    'base | 0 | input | 5 | "5"',
    'base | 0 | output | 6 | "6"',
  ]);
});
