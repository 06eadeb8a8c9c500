/**
 * Guards the page on providers of tasks: every description on it compiles, and the built-in kie can
 * be said in it word for word.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readCatalogue } from "../../test/support/read-catalogue.ts";
import { kieProvider } from "../upstreams/tasks/kie-provider.ts";
import { mistakeLine } from "./live-catalogue.ts";

const PAGE = readFileSync(new URL("../../docs/task-providers.md", import.meta.url), "utf8");
const ENV = { PROVIDER_URL: "https://api.provider.example", PROVIDER_KEY: "k" };

function examplesOf(page: string): string[] {
  return [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, yaml = ""]) => yaml);
}

function compiled(yaml: string) {
  const name = /^  ([\w-]+):$/m.exec(yaml)?.[1] ?? "";
  const model = `models:
  m: { type: task, parameters: T8, price: { unit: video, quantity: 1, amount: "1" }, routes: [ { upstream: ${name}, model: x } ] }
`;
  const reading = readCatalogue(yaml + model, ENV);
  assert.ok(
    reading.ok,
    `${name}: ${reading.ok ? "" : reading.mistakes.map(mistakeLine).join("\n")}`,
  );
  const task = reading.catalogue.upstreams.get(name)?.task;
  assert.ok(task !== undefined, name);
  return task;
}

test("every description on the page compiles", () => {
  const examples = examplesOf(PAGE);
  assert.equal(examples.length, 5);
  for (const yaml of examples) compiled(yaml);
});

test("the built-in kie can be said in a catalogue, and means the same there", () => {
  const { errors, tables, ...reported } = compiled(
    examplesOf(PAGE).find((yaml) => yaml.includes("kie-again")) ?? "",
  );
  const { errors: builtInErrors, tables: builtInTables, ...builtIn } = kieProvider;
  assert.deepEqual(reported, builtIn);
  assert.deepEqual({ ...errors, messages: null }, { ...builtInErrors, messages: null });
  for (const [words, code] of errors.messages)
    assert.equal(builtInErrors.messages.get(words), code);
  assert.deepEqual(tables, builtInTables);
});
