/**
 * Guards the list of what receipts say: dated by Moscow days, without defaults, every mistake told
 * with its place.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCatalogue } from "../../test/support/read-catalogue.ts";
import { compareCatalogues, describeChanges } from "./compare-catalogues.ts";
import { mistakeLine } from "./live-catalogue.ts";

function read(payments: string): ReturnType<typeof readCatalogue> {
  const source = `
upstreams: { up: { protocol: openai, baseUrl: "https://up.example/v1", apiKeyEnv: KEY } }
models:
  chat-1:
    type: chat
    endpoints: [chat.completions]
    contextTokens: 1000
    maxOutputTokens: 100
    price: { input: "1", output: "2" }
    routes: [ { upstream: up, model: m } ]
${payments}`;
  return readCatalogue(source, { KEY: "x" });
}

function mistakesOf(payments: string): string[] {
  const reading = read(payments);
  return reading.ok ? [] : reading.mistakes.map(mistakeLine);
}

test("entries are in order of their days, which begin at midnight in Moscow; a file without them has none", () => {
  const reading = read(`payments:
  receipts:
    - { from: 2027-01-01, vatCode: 12, taxSystemCode: 1, subject: payment, mode: advance }
    - { from: 2026-01-01, vatCode: 1, subject: service, mode: full_payment }
`);
  assert.ok(reading.ok, JSON.stringify(reading));
  assert.deepEqual(reading.catalogue.receipts, [
    {
      from: new Date("2025-12-31T21:00:00Z"),
      terms: { vatCode: 1, taxSystemCode: null, subject: "service", mode: "full_payment" },
    },
    {
      from: new Date("2026-12-31T21:00:00Z"),
      terms: { vatCode: 12, taxSystemCode: 1, subject: "payment", mode: "advance" },
    },
  ]);
  const without = read("");
  assert.ok(without.ok && without.catalogue.receipts === undefined);
  assert.deepEqual(describeChanges(compareCatalogues(without.catalogue, reading.catalogue)), [
    "~ payments.receipts",
  ]);
});

test("nothing of an entry has a default but the tax system, and what cannot be is a mistake with its place", () => {
  assert.deepEqual(mistakesOf("payments:\n  receipts:\n    - { from: 2026-01-01 }\n"), [
    "line 13: payments.receipts[0].vatCode: required, and missing",
    "line 13: payments.receipts[0].subject: required, and missing",
    "line 13: payments.receipts[0].mode: required, and missing",
  ]);
  const entry = (change: string): string =>
    mistakesOf(`payments: { receipts: [ ${change} ] }`).join();
  assert.match(
    entry("{ from: 2026-02-31, vatCode: 1, subject: service, mode: advance }"),
    /from: a day is expected, such as 2026-01-01/,
  );
  assert.match(
    entry("{ from: 2026-01-01T00:00:00Z, vatCode: 1, subject: service, mode: advance }"),
    /from: a day is expected/,
  );
  assert.match(
    entry("{ from: 2026-01-01, vatCode: 13, subject: service, mode: advance }"),
    /vatCode: a whole number from 1 to 12/,
  );
  assert.match(
    entry("{ from: 2026-01-01, vatCode: 1, taxSystemCode: 0, subject: service, mode: advance }"),
    /taxSystemCode: a whole number from 1 to 6/,
  );
  assert.match(
    entry("{ from: 2026-01-01, vatCode: 1, subject: services, mode: advance }"),
    /subject: "services" is not one of the known words; did you mean "service"/,
  );
  const same = "{ from: 2026-01-01, vatCode: 1, subject: service, mode: advance }";
  assert.match(entry(`${same}, ${same}`), /receipts\[1\]: another entry begins on this day/);
  assert.match(entry(""), /at least one entry is expected/);
  assert.match(mistakesOf("payments: { receipt: [] }").join(), /did you mean "receipts"/);
});
