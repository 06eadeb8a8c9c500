/**
 * The database handle on a real PostgreSQL: exact values, transactions that end, errors that
 * callers may see.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { databaseProxy } from "../../test/support/database-proxy.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { Fault } from "../kernel/faults.ts";
import { openDatabase, type Tx } from "./database.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
  await database.db.query("CREATE TABLE boxes (id integer PRIMARY KEY, amount bigint NOT NULL)");
});
after(() => database.drop());

test("exact types stay exact: bigint, numeric, uuid, time, arrays and parameters", async () => {
  const big = 9_223_372_036_854_775_807n;
  const [row] = await database.db.query<Record<string, unknown>>(
    `SELECT $1::bigint AS big, ARRAY[1, NULL, $1]::bigint[] AS bigs, '{}'::bigint[] AS none, 0.1::numeric AS exact, $2::bigint[] AS sent,
            '2026-01-02T03:04:05.678Z'::timestamptz AS at, '2026-01-02'::date AS day, '{"a":[1]}'::jsonb AS json`,
    [big, [1n, null, -big]],
  );
  assert.deepEqual(row, {
    big,
    bigs: [1n, null, big],
    none: [],
    exact: "0.1",
    sent: [1n, null, -big],
    at: new Date("2026-01-02T03:04:05.678Z"),
    day: "2026-01-02",
    json: { a: [1] },
  });
});

test("a transaction commits what its work did, and answers with what the work returned", async () => {
  const seen = await database.db.transaction(async (tx) => {
    await tx.query("INSERT INTO boxes VALUES (1, 10)");
    return tx.query("SELECT name FROM migrations.applied WHERE number = 1");
  });
  assert.deepEqual(seen, [{ name: "0001_baseline.sql" }]);
  const other = openDatabase({
    url: database.url,
    poolSize: 1,
    applicationName: "test",
    onError: () => {},
  });
  assert.deepEqual(await other.query("SELECT amount FROM boxes WHERE id = 1"), [{ amount: 10n }]);
  await other.close();
});

test("a transaction whose work throws leaves nothing behind, and the connection is usable again", async () => {
  const single = openDatabase({
    url: database.url,
    poolSize: 1,
    applicationName: "test",
    onError: () => {},
  });
  try {
    const work = single.transaction(async (tx) => {
      await tx.query("INSERT INTO boxes VALUES (2, 10)");
      throw new Error("changed my mind");
    });
    await assert.rejects(work, /changed my mind/);
    assert.deepEqual(await single.query("SELECT 1 AS one FROM boxes WHERE id = 2"), []);
  } finally {
    await single.close();
  }
});

test("of two transactions in a deadlock both get done, because the one that PostgreSQL ends runs again", async () => {
  await database.db.query("INSERT INTO boxes VALUES (11, 0), (12, 0)");
  let runs = 0;
  let bothHold: () => void = () => {};
  const bothHolding = new Promise<void>((resolve) => (bothHold = resolve));
  const cross = (first: number, second: number) =>
    database.db.transaction(async (tx) => {
      const add = (id: number): Promise<unknown[]> =>
        tx.query("UPDATE boxes SET amount = amount + 1 WHERE id = $1", [id]);
      await add(first);
      if (++runs === 2) bothHold();
      await bothHolding;
      await add(second);
    });
  await Promise.all([cross(11, 12), cross(12, 11)]);
  assert.equal(runs, 3);
  assert.deepEqual(await database.db.query("SELECT amount FROM boxes WHERE id IN (11, 12)"), [
    { amount: 2n },
    { amount: 2n },
  ]);
});

test("a connection that breaks inside a transaction is an overload for the caller, and the pool goes on", async () => {
  const single = openDatabase({
    url: database.url,
    poolSize: 1,
    applicationName: "test",
    onError: () => {},
  });
  try {
    const work = single.transaction(async (tx: Tx) => {
      const [own] = await tx.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
      await database.db.query("SELECT pg_terminate_backend($1, 5000)", [own?.pid]);
      await tx.query("INSERT INTO boxes VALUES (3, 10)");
    });
    await assert.rejects(work, (error) => error instanceof Fault && error.code === "overloaded");
    assert.deepEqual(await single.query("SELECT 1 AS one FROM boxes WHERE id = 3"), []);
  } finally {
    await single.close();
  }
});

test("a database that is not there is an overload with the cause for the log, never an internal error", async () => {
  const nowhere = openDatabase({
    url: "postgresql:///x?host=/nowhere&user=x",
    poolSize: 1,
    applicationName: "test",
    onError: () => {},
  });
  const isOverload = (error: unknown): boolean =>
    error instanceof Fault && error.code === "overloaded" && error.cause instanceof Error;
  await assert.rejects(nowhere.query("SELECT 1"), isOverload);
  await assert.rejects(
    nowhere.transaction(async () => {}),
    isOverload,
  );
  await nowhere.close();
});

test("a role or a database that is being changed is an overload, too: a password is changed while requests come", async (t) => {
  for (const change of [
    (url: URL) => (url.pathname = "/not_there"),
    (url: URL) => url.searchParams.set("user", "nobody_here"),
  ]) {
    const url = new URL(database.url);
    change(url);
    const db = openDatabase({
      url: url.href,
      poolSize: 1,
      applicationName: "test",
      onError: () => {},
    });
    t.after(() => db.close());
    await assert.rejects(
      db.query("SELECT 1"),
      (error: unknown) => error instanceof Fault && error.code === "overloaded",
    );
  }
});

test("statements, lock waits and idle transactions have a limit, told by a statement: a pooler may refuse it with the connection", async () => {
  const rows = await database.db.query<{ name: string; setting: string; source: string }>(
    "SELECT name, setting, source FROM pg_settings WHERE name IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')",
  );
  assert.equal(rows.length, 3);
  for (const { name, setting, source } of rows) {
    assert.ok(Number(setting) > 0, name);
    assert.equal(source, "session", name);
  }
});

test("a server that does not answer is told as overload within the limit, in and out of a transaction; afterwards everything works", async () => {
  const proxy = await databaseProxy(database.url);
  const db = openDatabase({
    url: proxy.url,
    poolSize: 2,
    applicationName: "test",
    answerWithinMs: 200,
    onError: () => {},
  });
  const isOverload = (error: unknown): boolean =>
    error instanceof Fault && error.code === "overloaded";
  await Promise.all([db.query("SELECT 1"), db.query("SELECT 1")]);
  let reached = false;
  await assert.rejects(
    db.transaction(async (tx) => {
      proxy.outage("silent");
      reached = true;
      await tx.query("SELECT 1");
    }),
    isOverload,
  );
  assert.ok(reached);
  await assert.rejects(db.query("SELECT 1"), isOverload);
  proxy.recover();
  assert.deepEqual(await db.query("SELECT 1 AS one"), [{ one: 1 }]);
  await db.close();
  await proxy.close();
});
