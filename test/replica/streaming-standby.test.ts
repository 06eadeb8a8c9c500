/**
 * Guarantee: lists are read from a real standby only while it is near enough, and from the primary
 * while it is behind, away or promoted; nothing is ever written there.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openDatabase, type Db } from "../../src/db/database.ts";
import { migrate } from "../../src/db/migrate.ts";
import { createReplica, type Replica } from "../../src/db/replica.ts";
import { readPrimaryPlace, readStandbyPlace, replicaMistake } from "../../src/db/replica-state.ts";
import { sql } from "../../src/db/sql-type.ts";
import { statement } from "../../src/db/statement.ts";
import { VERSION } from "../../src/process/project-root.ts";
import { startGateway } from "../support/gateway-process.ts";
import { newAccount } from "../support/new-customer.ts";
import { PANEL_CATALOGUE } from "../support/panel-catalogue.ts";
import { startStreamingPair, type StreamingPair } from "../support/streaming-pair.ts";
import { until } from "../support/until.ts";

const ACCOUNTS = statement({
  text: "SELECT count(*) AS accounts, pg_is_in_recovery() AS standby FROM accounts.accounts",
  row: { accounts: sql.int8, standby: sql.bool },
});
const WRITES = statement({ text: "DELETE FROM accounts.accounts" });
const BOUND_MS = 5_000;

let pair: StreamingPair;
let primary: Db;
let standby: Db;
before(async () => {
  pair = await startStreamingPair();
  const directory = join(import.meta.dirname, "../../migrations");
  await migrate({
    url: pair.primary.url,
    directory,
    version: VERSION,
    log: () => undefined,
  });
  primary = open(pair.primary.url);
  standby = open(pair.standby.url, { use: "reading" });
});
after(async () => {
  await primary?.close();
  await standby?.close();
  await pair?.[Symbol.asyncDispose]();
});

function open(url: string, use: { readonly use?: "reading" } = {}): Db {
  return openDatabase({
    url,
    poolSize: 2,
    applicationName: "test",
    onError: () => undefined,
    ...use,
  });
}

/** Its clock stands still until it is moved. */
function watched(): Replica & { pass(ms: number): void } {
  let nowMs = 0;
  const replica = createReplica({
    primary,
    ways: [standby],
    maxLagMs: BOUND_MS,
    nowMs: () => nowMs,
    onError: () => undefined,
  });
  return { ...replica, pass: (ms) => void (nowMs += ms) };
}

/** Looks until it is read from. */
const near = (replica: Replica): Promise<true | null> =>
  until("the standby has caught up", async () => {
    await replica.look();
    return replica.reading() === null ? null : true;
  });

const replayed = (paused: boolean): Promise<unknown> =>
  pair.standby.ask(`SELECT pg_wal_replay_${paused ? "pause" : "resume"}()`);

test("a standby that has caught up is read from, and takes no writes", async () => {
  const replica = watched();
  assert.equal(replica.state().trouble, "away", "it was not looked at yet");
  await newAccount(primary, "0");
  await near(replica);
  const reading = replica.reading() ?? assert.fail();
  const [seen] = await reading.run(ACCOUNTS, []);
  assert.equal(seen?.standby, true);
  assert.equal(seen?.accounts, (await primary.run(ACCOUNTS, []))[0]?.accounts);
  await assert.rejects(standby.run(WRITES, []));
  // Nor would a primary that was named by mistake.
  const mistaken = open(pair.primary.url, { use: "reading" });
  await assert.rejects(mistaken.run(WRITES, []));
  await mistaken.close();
});

test("beyond its bound it is passed over, and comes back when it has caught up", async () => {
  const replica = watched();
  await near(replica);
  await replayed(true);
  try {
    // It is paused only when the last record under way is over.
    await until(
      "replay is paused",
      async () => (await pair.standby.ask("SELECT pg_get_wal_replay_pause_state()")) === "paused",
    );
    await newAccount(primary, "0");
    replica.pass(BOUND_MS);
    await replica.look();
    assert.ok(replica.reading() !== null, "as old as it may be");
    replica.pass(1);
    assert.equal(replica.reading(), null, "a moment more, though it was not looked at again");
    await replica.look();
    assert.deepEqual(replica.state(), { lagMs: BOUND_MS + 1, trouble: "behind" });
  } finally {
    await replayed(false);
  }
  await near(replica);
});

test("where the primary writes nothing, a standby is not behind, however long", async () => {
  const replica = watched();
  await near(replica);
  replica.pass(3_600_000);
  assert.equal(replica.reading(), null, "an old look vouches for nothing");
  await near(replica);
});

test("one that goes away during an answer leaves the rest of it to the primary, and comes back", async () => {
  const replica = watched();
  await near(replica);
  const reading = replica.reading() ?? assert.fail();
  assert.equal((await reading.run(ACCOUNTS, []))[0]?.standby, true);
  await pair.standby.stop();
  assert.equal((await reading.run(ACCOUNTS, []))[0]?.standby, false);
  assert.equal(replica.state().trouble, "away", "known at once, before the next look");
  await assert.rejects(replica.look());
  await pair.standby.start();
  await until("it is found again", async () => {
    await replica.look().catch(() => undefined);
    return replica.reading() !== null;
  });
});

test("a gateway tells in its metrics whether it is read from, and serves without it", async () => {
  const env = { NOBODY_KEY: "none", DATABASE_REPLICA_URL: pair.standby.url };
  await using gateway = await startGateway({
    databaseUrl: pair.primary.url,
    catalogue: PANEL_CATALOGUE,
    env,
  });
  const shown = (line: string): Promise<true | null> =>
    until(`/metrics says ${line}`, async () => {
      const text = await (await fetch(`${gateway.url}/metrics`)).text();
      return text.split("\n").includes(line) ? true : null;
    });
  await shown('tollgate_replica_passed_over{reason="away"} 0');
  await shown('tollgate_replica_passed_over{reason="behind"} 0');
  await pair.standby.stop();
  await shown('tollgate_replica_passed_over{reason="away"} 1');
  assert.equal((await fetch(`${gateway.url}/readyz`)).status, 200);
  await pair.standby.start();
  await shown('tollgate_replica_passed_over{reason="away"} 0');
});

/** The last one: there is no way back. */
test("one that was promoted is a primary of its own, and read from no longer", async () => {
  const replica = watched();
  await near(replica);
  const before = await readStandbyPlace(standby);
  assert.equal(replicaMistake(await readPrimaryPlace(primary), before), null);
  await pair.standby.ask("SELECT pg_promote()");
  // What still replays the log that was left behind is none of the new primary's.
  const promoted = await readPrimaryPlace(standby);
  assert.deepEqual([before.timeline, promoted.timeline], [1, 2]);
  assert.equal(replicaMistake(promoted, before), "another_timeline");
  await replica.look();
  assert.equal(replica.state().trouble, "not_a_standby");
  assert.equal(replica.reading(), null);
});
