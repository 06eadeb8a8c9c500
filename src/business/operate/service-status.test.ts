/**
 * Protects: what strangers see of how models fare is true of their routes and their requests, and
 * tells nothing of a model that few have asked.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { readCatalogue } from "../../../test/support/read-catalogue.ts";
import { newUuid } from "../../kernel/ids.ts";
import { tellCircuits } from "./circuits.store.ts";
import { createServiceStatus, healthOf } from "./service-status.ts";

const CATALOGUE = `
upstreams:
  one: { protocol: openai, baseUrl: "https://one.example", apiKeyEnv: KEY }
  two: { protocol: openai, baseUrl: "https://two.example", apiKeyEnv: KEY }
models:
  busy: { type: chat, displayName: Busy, endpoints: [chat.completions], contextTokens: 9000, maxOutputTokens: 900, price: { input: "1", output: "2" }, routes: [ { upstream: one, model: m }, { upstream: two, model: m } ] }
  rare: { type: chat, endpoints: [chat.completions], contextTokens: 9000, maxOutputTokens: 900, price: { input: "1", output: "2" }, routes: [ { upstream: one, model: r } ] }
`;
/** Noon in Moscow. */
const NOW = new Date("2026-11-27T09:00:00Z");
const ROW = `INSERT INTO usage.hourly (account_id, hour, kind, model, state, upstream, ended, charged_nano, loss_nano, unknown_requests,
  unknown_charged_nano, input_tokens, cached_tokens, output_tokens, duration_ms, first_ms, firsts, first_id, last_id)
  VALUES ($1, $2, 'chat', $3, $4, 'one', $5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, $6, $6)`;

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

async function book(hour: string, model: string, state: string, ended: number): Promise<void> {
  await database.db.query(ROW, [newUuid(), hour, model, state, ended, newUuid()]);
}

function statusReader(now = NOW) {
  const reading = readCatalogue(CATALOGUE, { KEY: "k" });
  assert.ok(reading.ok);
  const { catalogue } = reading;
  return createServiceStatus({
    db: database.db,
    clock: { now: () => now },
    catalogue: { current: () => ({ catalogue }) },
  });
}

test("shares are of the days of Moscow, and of few requests there are none", async () => {
  await book("2026-11-27T08:00:00Z", "busy", "completed", 90);
  await book("2026-11-27T08:00:00Z", "busy", "failed", 10);
  // Still the day before in Moscow, and already the next one.
  await book("2026-11-26T20:00:00Z", "busy", "completed", 40);
  await book("2026-11-26T21:00:00Z", "busy", "completed", 100);
  await book("2026-10-01T12:00:00Z", "busy", "failed", 1000);
  await book("2026-11-27T08:00:00Z", "rare", "failed", 19);
  await book("2026-11-27T08:00:00Z", "gone", "completed", 500);

  const { days, models } = await statusReader()();
  assert.equal(days.length, 30);
  assert.deepEqual([days.at(0), days.at(-1)], ["2026-10-29", "2026-11-27"]);
  const [busy, rare] = models;
  assert.deepEqual(
    models.map(({ id, displayName }) => [id, displayName]),
    [
      ["busy", "Busy"],
      ["rare", "rare"],
    ],
  );
  assert.deepEqual(busy?.days.slice(-3), [null, 1, 190 / 200]);
  assert.equal(busy?.share, 230 / 240);
  assert.deepEqual([rare?.days.at(-1), rare?.share], [null, null]);
});

test("days that are over are read once, and today anew each time", async () => {
  const read = statusReader(new Date("2026-11-20T09:00:00Z"));
  await read();
  await book("2026-11-19T12:00:00Z", "rare", "completed", 50);
  await book("2026-11-20T08:00:00Z", "rare", "completed", 30);
  const { models } = await read();
  assert.deepEqual(models[1]?.days.slice(-2), [null, 1]);
  const later = await statusReader(new Date("2026-11-21T09:00:00Z"))();
  assert.deepEqual(later.models[1]?.days.slice(-3), [1, 1, null]);
});

test("a model works by the routes that are in use, in the processes that call them", () => {
  const model = {
    routes: [
      { upstream: "one", model: "m", order: 1, weight: 1, cost: null },
      { upstream: "two", model: "m", order: 1, weight: 1, cost: null },
    ],
  };
  const health = (...processes: Readonly<Record<string, number>>[]) =>
    healthOf(
      model,
      processes.map((routes) => ({ routes })),
    );
  assert.equal(health(), null, "no process is known");
  assert.equal(health({}), "works", "no call was made yet");
  assert.equal(health({ "one/m": 0, "two/m": 0 }), "works");
  assert.equal(health({ "one/m": 2, "two/m": 0 }), "impaired");
  assert.equal(health({ "one/m": 2, "two/m": 1 }), "down");
  assert.equal(health({ "one/m": 2, "two/m": 2 }, { "other/m": 0 }), "down", "it calls others");
  assert.equal(health({ "one/m": 2, "two/m": 2 }, { "one/m": 0, "two/m": 0 }), "impaired");
});

test("what operators took out does not work, whatever its circuit is", async () => {
  const model = {
    routes: [
      { upstream: "one", model: "m", order: 1, weight: 1, cost: null },
      { upstream: "two", model: "m", order: 1, weight: 1, cost: null },
    ],
  };
  const one = { upstream: "one", upstreamModel: "m" };
  const two = { upstream: "two", upstreamModel: null };
  const fresh = [{ routes: {} }];
  assert.equal(healthOf(model, fresh, [one]), "impaired");
  assert.equal(healthOf(model, fresh, [one, two]), "down");
  assert.equal(healthOf(model, [{ routes: { "two/m": 2 } }], [one]), "down");
  assert.equal(healthOf(model, fresh, [{ upstream: "one", upstreamModel: "other" }]), "works");
  const { db } = database;
  await tellCircuits(db, { processId: newUuid(), label: "here:0", routes: new Map() });
  await db.query(
    "INSERT INTO operate.routes_out (upstream, upstream_model, until, taken_by) VALUES ('one', '', clock_timestamp() + interval '1 hour', 'x')",
  );
  const { models } = await statusReader()();
  assert.deepEqual(
    models.map(({ health }) => health),
    ["impaired", "down"],
  );
  await db.query("DELETE FROM operate.routes_out");
});

test("what a process tells of its routes is what is seen", async () => {
  const routes = new Map([
    ["one/m", 2],
    ["two/m", 0],
    ["one/r", 2],
  ]);
  await tellCircuits(database.db, { processId: newUuid(), label: "here:1", routes });
  const { models } = await statusReader()();
  assert.deepEqual(
    models.map(({ health }) => health),
    ["impaired", "down"],
  );
});

test("speed is the mean of today and yesterday, by plain arithmetic, and of few there is none", async () => {
  const timed = ROW.replace("0, 0, 0, 0, 0, 0, $6, $6)", "0, 0, $7, $8, $9, $10, $6, $6)");
  assert.notEqual(timed, ROW);
  const rows = [
    // Yesterday in Moscow, today, and the day before, which is not asked.
    ["2026-11-24T12:00:00Z", "completed", 60, 6_000, 120_000, 12_000, 60],
    ["2026-11-25T08:00:00Z", "completed", 50, 4_000, 80_000, 9_000, 50],
    ["2026-11-25T08:00:00Z", "interrupted", 10, 50_000, 1, 5_000, 10],
    ["2026-11-23T12:00:00Z", "completed", 900, 1, 9_000_000, 9_000_000, 900],
  ] as const;
  for (const [hour, state, ended, output, lasted, first, firsts] of rows)
    await database.db.query(timed, [
      newUuid(),
      hour,
      "busy",
      state,
      ended,
      newUuid(),
      output,
      lasted,
      first,
      firsts,
    ]);
  await database.db.query(timed, [
    newUuid(),
    "2026-11-25T08:00:00Z",
    "rare",
    "completed",
    99,
    newUuid(),
    999,
    999,
    999,
    99,
  ]);
  const { models } = await statusReader(new Date("2026-11-25T09:00:00Z"))();
  const [busy, rare] = models;
  assert.deepEqual(
    [busy?.firstTokenMs, busy?.tokensPerSecond],
    [Math.round(26_000 / 120), Math.round((10_000 / 200) * 10) / 10],
  );
  assert.deepEqual([rare?.firstTokenMs, rare?.tokensPerSecond], [null, null]);
});
