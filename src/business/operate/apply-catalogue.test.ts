/**
 * Guards how prices change, on real PostgreSQL: only whole catalogues, told what changes, and by
 * the rule for the file at a start.
 */
import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { describeChanges } from "../../catalogue/compare-catalogues.ts";
import { createLiveCatalogue } from "../../catalogue/live-catalogue.ts";
import { CATALOGUE_CHANNEL, newestVersion } from "../../catalogue/store.ts";
import { listen } from "../../db/listen.ts";
import type { ApplyOutcome } from "./apply-catalogue.ts";
import { applyCatalogue, applyCatalogueFile } from "./apply-catalogue.ts";
import { commandActor, startActor } from "./operator.ts";

const ENV = { URL: "https://up.example", KEY: "x" };

function source(price: string): string {
  return `
upstreams: { up: { protocol: openai, baseUrl: "\${URL}", apiKeyEnv: KEY } }
models: { m: { type: chat, endpoints: [messages], contextTokens: 9, maxOutputTokens: 9, price: { input: ${price}, output: 1 }, routes: [ { upstream: up, model: m } ] } }
`;
}

let database: TestDatabase;
const databases: TestDatabase[] = [];
beforeEach(async () => {
  database = await testDatabase();
  databases.push(database);
});
after(() => Promise.all(databases.map((each) => each.drop())));

function byHand(text: string, env: Record<string, string> = ENV): Promise<ApplyOutcome> {
  return applyCatalogue(database.db, {
    source: text,
    env,
    appliedBy: "test",
    actor: commandActor("test"),
  });
}

function atStart(text: string): Promise<ApplyOutcome> {
  return applyCatalogueFile(database.db, {
    source: text,
    env: ENV,
    appliedBy: "start",
    actor: startActor("test"),
  });
}

async function inForce(): Promise<[number, string] | null> {
  const stored = await newestVersion(database.db);
  return stored === null ? null : [stored.version, stored.source];
}

test("a valid catalogue becomes the next version and says what it changes; the same text changes nothing", async () => {
  const first = await byHand(source("1"));
  assert.ok(first.kind === "applied" && first.changes !== null);
  assert.deepEqual(describeChanges(first.changes), ["+ model m", "+ upstream up"]);
  const second = await byHand(source("2"));
  assert.ok(second.kind === "applied" && second.changes !== null);
  assert.deepEqual(
    [second.version.version, describeChanges(second.changes)],
    [2, ["~ price of m, input: 1 → 2", "~ price of m, cachedInput: 1 → 2"]],
  );
  const again = await byHand(source("2"));
  assert.deepEqual([again.kind, await inForce()], ["unchanged", [2, source("2")]]);
});

test("a catalogue with a mistake is never put in force", async () => {
  await byHand(source("1"));
  const outcome = await byHand(source("-1"));
  assert.ok(outcome.kind === "mistakes");
  assert.deepEqual(
    outcome.mistakes.map(({ path, line }) => [path, line]),
    [["models.m.price.input", 3]],
  );
  assert.deepEqual(await inForce(), [1, source("1")]);
});

test("a catalogue applied after one that cannot be compiled here is applied without a comparison", async () => {
  await byHand(source("1"));
  const outcome = await byHand(source("2").replace("${URL}", "https://fixed.example"), {
    KEY: "x",
  });
  assert.deepEqual(outcome.kind === "applied" && [outcome.version.version, outcome.changes], [
    2,
    null,
  ]);
});

test("what the environment holds is not stored", async () => {
  await byHand(source("1"));
  assert.ok(!JSON.stringify(await newestVersion(database.db)).includes("up.example"));
});

test("at a start the file is applied once; a version applied by hand stays until the file itself changes", async () => {
  assert.equal((await atStart(source("1"))).kind, "applied");
  assert.equal((await atStart(source("1"))).kind, "unchanged");
  await byHand(source("2"));
  assert.equal((await atStart(source("1"))).kind, "unchanged");
  assert.deepEqual(await inForce(), [2, source("2")]);
  assert.equal((await atStart(source("3"))).kind, "applied");
  assert.deepEqual(await inForce(), [3, source("3")]);
});

test("a version applied by hand and then written into the file is the file's from then on", async () => {
  await atStart(source("1"));
  await byHand(source("2"));
  await atStart(source("2"));
  await byHand(source("4"));
  assert.equal((await atStart(source("2"))).kind, "unchanged");
  assert.equal((await inForce())?.[1], source("4"));
});

test("processes that start at the same time apply the file once", async () => {
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => atStart(source("1"))));
  assert.deepEqual(outcomes.map(({ kind }) => kind).toSorted(), [
    "applied",
    ...Array.from({ length: 5 }, () => "unchanged"),
  ]);
  assert.deepEqual(await inForce(), [1, source("1")]);
});

test("a running process takes the new version over when the database tells of it", async () => {
  const { db, url } = database;
  await byHand(source("1"));
  const changed = Promise.withResolvers<number>();
  const connected = Promise.withResolvers<void>();
  const live = await createLiveCatalogue({
    load: (above) => newestVersion(db, above),
    env: ENV,
    onChanged: changed.resolve,
    onRejected: changed.reject,
    onError: changed.reject,
    pollMs: 1_000_000,
  });
  const listener = listen({
    url,
    channels: [CATALOGUE_CHANNEL],
    onConnected: connected.resolve,
    onMessage: () => void live.refresh(),
    onError: changed.reject,
  });
  await connected.promise;
  await byHand(source("2"));
  assert.equal(await changed.promise, 2);
  assert.equal(live.current().version, 2);
  live.close();
  await listener.close();
});
