/**
 * Protects: a factor that our counts are multiplied by is a decimal near one, told for both sides.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCatalogue } from "../../test/support/read-catalogue.ts";

const HEAD = `
upstreams: { up: { protocol: openai, baseUrl: "https://up.example/v1", apiKeyEnv: KEY } }
models:
  m: { type: chat, endpoints: [messages], contextTokens: 9, maxOutputTokens: 9, price: { input: "1", output: "1" },
    routes: [{ upstream: up, model: x, countFactor: `;

function mistakesOf(countFactor: string): string[] {
  const reading = readCatalogue(`${HEAD}${countFactor} }] }\n`, { KEY: "x" });
  return reading.ok ? [] : reading.mistakes.map(({ path, message }) => `${path}: ${message}`);
}

test("a factor of counts is a decimal near one, told for both sides", () => {
  const at = "models.m.routes[0].countFactor";
  assert.deepEqual(mistakesOf(`{ input: 1, output: "1.65" }`), []);
  assert.deepEqual(mistakesOf(`{ input: "1.5" }`), [`${at}.output: required, and missing`]);
  assert.deepEqual(mistakesOf(`{ input: "15", output: 0.1 }`), [
    `${at}.input: a decimal from 0.2 to 10 is expected, not "15"`,
    `${at}.output: a decimal from 0.2 to 10 is expected, not "0.1"`,
  ]);
});
