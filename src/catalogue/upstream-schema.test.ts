/**
 * Guards what the file says of an upstream beside its address: a rate that it takes new tasks at.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCatalogue } from "../../test/support/read-catalogue.ts";
import { mistakeLine } from "./live-catalogue.ts";

const ENV = { KEY: "secret-value" };

function mistakesOf(source: string): string[] {
  const reading = readCatalogue(source, ENV);
  return reading.ok ? [] : reading.mistakes.map(mistakeLine);
}

test("how many tasks an upstream takes in a time is whole numbers, and nothing for chat", () => {
  const upstream = (protocol: string, rate: string): string => `
upstreams: { up: { protocol: ${protocol}, baseUrl: "https://up.example", apiKeyEnv: KEY, submitRate: ${rate} } }
models:
  m: { type: task, parameters: T8, price: { unit: video, quantity: 1, amount: "1" }, routes: [ { upstream: up, model: "x-{variant}" } ] }
`;
  const reading = readCatalogue(upstream("kie", "{ count: 20, seconds: 10 }"), ENV);
  assert.ok(reading.ok, JSON.stringify(reading));
  assert.deepEqual(reading.catalogue.upstreams.get("up")?.submitRate, { count: 20, seconds: 10 });
  const [chat] = mistakesOf(upstream("openai", "{ count: 20, seconds: 10 }"));
  assert.equal(
    chat,
    "line 2: upstreams.up.submitRate: openai takes no tasks; submitRate counts new tasks only",
  );
  const reported = (rate: string): string => mistakesOf(upstream("fal", rate))[0] ?? "";
  assert.match(
    reported("{ count: 0, seconds: 10 }"),
    /submitRate.count: a whole number from 1 to 1000 is expected/,
  );
  assert.match(
    reported("{ count: 5, seconds: 3601 }"),
    /submitRate.seconds: a whole number from 1 to 3600 is expected/,
  );
  assert.match(reported("{ count: 5 }"), /submitRate.seconds: required/);
  assert.match(reported("{ count: 5, second: 1 }"), /did you mean "seconds"/);
});
