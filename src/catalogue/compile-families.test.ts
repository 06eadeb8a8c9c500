/**
 * Guards what families are read from: each tier's model, and the id by which lists name it first.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCatalogue } from "../../test/support/read-catalogue.ts";
import { mistakeLine } from "./live-catalogue.ts";

function reading(large: string): ReturnType<typeof readCatalogue> {
  const source = `
upstreams: { up: { protocol: anthropic, baseUrl: "https://up.example", apiKeyEnv: KEY } }
models:
  chat-1:
    type: chat
    endpoints: [messages]
    contextTokens: 1000
    maxOutputTokens: 100
    price: { input: "1", cacheWrite5m: "2", cacheWrite1h: "2", output: "2" }
    routes: [ { upstream: up, model: m } ]
families: { large: { model: chat-1${large} } }
`;
  return readCatalogue(source, { KEY: "x" });
}

function mistakesOf(large: string): string[] {
  const read = reading(large);
  return read.ok ? [] : read.mistakes.map(mistakeLine);
}

test("a family is listed by an id of its own that picks it, by default its prefix, its word and latest", () => {
  const read = reading("");
  assert.ok(read.ok, mistakesOf("").join());
  assert.deepEqual(
    read.catalogue.families.tiers.map(({ listAs }) => listAs),
    ["claude-opus-latest"],
  );
  assert.deepEqual(mistakesOf(", listAs: claude-opus-5-5"), []);
  assert.match(
    mistakesOf(", listAs: gpt-opus").join(),
    /line 11: families\.large\.listAs: "gpt-opus" is listed for "chat-1", and is no id/,
  );
  assert.match(mistakesOf(", listAs: chat-1").join(), /"chat-1" is a model of its own/);
});
