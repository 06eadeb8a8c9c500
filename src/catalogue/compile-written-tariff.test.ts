/**
 * Guarantee: a tariff that is not complete is no tariff: the mistake is told with its path and
 * line; a version that is stored goes on as it was sold.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readCatalogue } from "../../test/support/read-catalogue.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { describeTariff } from "../contract/price/compile-tariff.ts";
import { formatRoubles } from "../kernel/money.ts";
import { createLiveCatalogue } from "./live-catalogue.ts";
import { parseStoredCatalogue } from "./parse-catalogue.ts";
import { appendVersion, newestVersion } from "./store.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

const ENV = { KEY: "x" };
const WRITES = `cacheWrite5m: "2", cacheWrite1h: "3"`;

function file({
  price = `{ input: "1", ${WRITES}, output: "4" }`,
  more = "",
  cost = "",
  protocol = "anthropic",
} = {}): string {
  return `upstreams:
  up: { protocol: ${protocol}, baseUrl: "http://127.0.0.1:1", apiKeyEnv: KEY }
models:
  m:
    type: chat
    endpoints: [messages]
    contextTokens: 200000
    maxOutputTokens: 1000
    price: ${price}
    ${more}
    routes: [{ upstream: up, model: there${cost} }]
`;
}

function mistakes(source: string): string[] {
  const reading = readCatalogue(source, ENV);
  return reading.ok
    ? []
    : reading.mistakes.map(({ line, path, message }) => `${line} ${path}: ${message}`);
}

test("a model with a route of the Messages protocol states both cache writes, in price and cost", () => {
  assert.deepEqual(mistakes(file()), []);
  assert.deepEqual(
    mistakes(file({ price: `{ input: "1", output: "4" }`, protocol: "openai" })),
    [],
  );
  const [price = ""] = mistakes(file({ price: `{ input: "1", cacheWrite1h: "3", output: "4" }` }));
  assert.match(
    price,
    /^9 models\.m\.price: cacheWrite5m must be stated, since the upstream "up" writes/,
  );
  const [cost = ""] = mistakes(file({ cost: `, cost: { input: "1", output: "4" }` }));
  assert.match(
    cost,
    /^11 models\.m\.routes\[0\]\.cost: cacheWrite5m and cacheWrite1h must be stated/,
  );
});

test("a tier repeats every kind of the base and no other, and a variant with a price of its own says its tiers", () => {
  const tier = (price: string): string =>
    `tiers: [{ abovePromptTokens: 1000, price: { ${price} } }]`;
  assert.deepEqual(mistakes(file({ more: tier(`input: "2", ${WRITES}, output: "8"`) })), []);
  const [missing = ""] = mistakes(
    file({ more: tier(`input: "2", cacheWrite5m: "2", output: "8"`) }),
  );
  assert.match(
    missing,
    /^10 models\.m\.tiers\[0\]\.price: incomplete: the base has a price for cacheWrite1h too/,
  );
  const [extra = ""] = mistakes(
    file({ more: tier(`input: "2", ${WRITES}, audioInput: "9", output: "8"`) }),
  );
  assert.match(extra, /the base has no price for audioInput; state it there, too/);
  const fast = `surcharges: { speed: { fast: { price: { input: "2", ${WRITES}, output: "8" } } } }`;
  const [tiers = ""] = mistakes(
    file({ more: `${tier(`input: "2", ${WRITES}, output: "8"`)}\n    ${fast}` }),
  );
  assert.match(tiers, /^11 models\.m\.surcharges\.speed\.fast: incomplete: the base has tiers/);
  const [partial = ""] = mistakes(
    file({ more: `surcharges: { speed: { fast: { price: { input: "2", output: "8" } } } }` }),
  );
  assert.match(
    partial,
    /surcharges\.speed\.fast\.price: incomplete: the base has a price for cacheWrite5m, cacheWrite1h too/,
  );
});

test("a slip of the hand in the new keys is told with the name that was meant, and all of them at once", () => {
  const more = `surcharges: { serviceTier: { priority: { multipy: "2" }, flex: { multiply: "0" } }, tool: {}, tools: { web_search: { perCal: "1" } } }`;
  const reported = mistakes(file({ more }));
  assert.ok(
    reported.some((line) => line.includes('unknown key "multipy"; did you mean "multiply"?')),
    reported.join("\n"),
  );
  assert.ok(
    reported.some((line) =>
      line.includes("surcharges.serviceTier.flex.multiply: a positive decimal"),
    ),
    reported.join("\n"),
  );
  assert.ok(
    reported.some((line) => line.includes('unknown key "tool"; did you mean "tools"?')),
    reported.join("\n"),
  );
  assert.ok(
    reported.some((line) => line.includes('unknown key "perCal"; did you mean "perCall"?')),
    reported.join("\n"),
  );
  const [both = ""] = mistakes(file({ more: `surcharges: { speed: { fast: {} } }` }));
  assert.match(both, /surcharges\.speed\.fast: either multiply or a price of its own is required/);
  const [costless = ""] = mistakes(
    file({
      cost: `, costTiers: [{ abovePromptTokens: 1, price: { input: "1", ${WRITES}, output: "1" } }]`,
    }),
  );
  assert.match(costless, /costTiers: it belongs to a cost, and there is none/);
});

/** Each with what is told of it. */
const SLIPS: Readonly<Record<string, readonly [more: string, reported: RegExp]>> = {
  "two tiers above the same count": [
    `tiers: [${Array(2).fill(`{ abovePromptTokens: 1000, price: { input: "2", ${WRITES}, output: "8" } }`).join(", ")}]`,
    /^10 models\.m\.tiers\[1\]: a second tier above 1000 prompt tokens$/,
  ],
  "a multiplier and a price at once": [
    `surcharges: { speed: { fast: { multiply: "2", price: { input: "2", ${WRITES}, output: "8" } } } }`,
    /speed\.fast: either multiply or a price of its own is required, and not both$/,
  ],
  "a multiplier with tiers": [
    `surcharges: { speed: { fast: { multiply: "2", tiers: [] } } }`,
    /speed\.fast: tiers belong to a price of its own/,
  ],
  "an incomplete tier of a variant": [
    `surcharges: { speed: { fast: { price: { input: "2", ${WRITES}, output: "8" }, tiers: [{ abovePromptTokens: 9, price: { input: "2", output: "8" } }] } } }`,
    /speed\.fast\.tiers\[0\]\.price: incomplete: the base has a price for cacheWrite5m, cacheWrite1h too$/,
  ],
  "a tool without a price": [
    `surcharges: { tools: { web_search: { maxCalls: 2 } } }`,
    /tools\.web_search: perCall or perRequest is required$/,
  ],
  "a name that no tool has": [
    `surcharges: { tools: { Web-Search: { perCall: "1" } } }`,
    /tools\.Web-Search: "Web-Search" is no tool's name/,
  ],
};

for (const [slip, [more, reported]] of Object.entries(SLIPS))
  test(`${slip}: told by place, and nothing else`, () => {
    const found = mistakes(file({ more }));
    assert.equal(found.length, 1, found.join("\n"));
    assert.match(found[0] ?? "", reported);
  });

test("a stored version without prices of cache writes is in force as it was sold, at the price of input, and says so", async () => {
  const old = file({ price: `{ input: "1", output: "4" }` });
  await database.db.transaction((tx) =>
    appendVersion(tx, { source: old, origin: "file", appliedBy: "an older release" }),
  );
  assert.equal(readCatalogue(old, ENV).ok, false);
  const live = await createLiveCatalogue({
    load: (above) => newestVersion(database.db, above),
    env: ENV,
    onRejected: () => assert.fail("it can be used"),
    onChanged: () => undefined,
    onError: (error) => assert.fail(String(error)),
  });
  const model = live.current().catalogue.models.get("m");
  live.close();
  assert.ok(model?.type === "chat");
  const { cacheWrite5m, cacheWrite1h } = describeTariff(model);
  assert.deepEqual(
    [cacheWrite5m, cacheWrite1h],
    [formatRoubles(model.price.input), formatRoubles(model.price.input)],
  );
  const { warnings } = parseStoredCatalogue(old, ENV);
  assert.match(warnings[0]?.message ?? "", /until then they are sold at the price of input/);
});
