/**
 * Protects: `created` of a model is when the catalogue first had it, whatever was changed, removed
 * or mentioned before.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { parseCatalogue } from "../../catalogue/parse-catalogue.ts";
import { newestVersion } from "../../catalogue/store.ts";
import { applyCatalogue } from "../../business/operate/apply-catalogue.ts";
import { commandActor } from "../../business/operate/operator.ts";
import { createModelDates } from "./model-dates.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

function source(models: readonly string[], note = ""): string {
  const entries = models.map(
    (id) =>
      `  ${id}: { type: chat, endpoints: [chat.completions], contextTokens: 1000, maxOutputTokens: 100, price: { input: "1", output: "2" }, routes: [{ upstream: u, model: other }] }`,
  );
  return `# ${note}\nupstreams:\n  u: { protocol: openai, baseUrl: "http://127.0.0.1:1", apiKeyEnv: KEY }\nmodels:\n${entries.join("\n")}\n`;
}

const ENV = { KEY: "x" };

async function apply(models: readonly string[], note?: string): Promise<Date> {
  const outcome = await applyCatalogue(database.db, {
    source: source(models, note),
    env: ENV,
    appliedBy: "test",
    actor: commandActor("test"),
  });
  assert.equal(outcome.kind, "applied", JSON.stringify(outcome));
  return outcome.version.appliedAt;
}

async function current() {
  const stored = await newestVersion(database.db);
  const reading = parseCatalogue(stored?.source ?? "", ENV);
  assert.ok(stored !== null && reading.ok);
  return { version: stored.version, catalogue: reading.catalogue };
}

test("each model has the date of the first version that had it: not of one that mentions it, nor of its return", async () => {
  const [first, , third] = [
    await apply(["alpha"]),
    await apply(["beta"], "gamma comes soon"),
    await apply(["alpha", "gamma"]),
  ];
  const dates = createModelDates(database.db);
  assert.deepEqual(Object.fromEntries(await dates(await current())), {
    alpha: first,
    gamma: third,
  });
  const fourth = await apply(["alpha", "gamma", "delta"]);
  const after4 = await dates(await current());
  assert.deepEqual([after4.get("alpha"), after4.get("delta")], [first, fourth]);
  assert.equal(
    (await createModelDates(database.db)(await current())).get("gamma")?.getTime(),
    third.getTime(),
    "another process sees the same",
  );
});
