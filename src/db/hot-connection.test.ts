/**
 * The hot connection on a real PostgreSQL: what its statements get back, and what becomes of the
 * session after an error.
 */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { databaseProxy, type DatabaseProxy } from "../../test/support/database-proxy.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { until } from "../../test/support/until.ts";
import { createHotConnection, type HotConnection, type HotOutcome } from "./hot-connection.ts";
import type { BoundStatement } from "./statement.ts";

let database: TestDatabase;
let proxy: DatabaseProxy;
let connection: HotConnection;

before(async () => {
  database = await testDatabase();
  await database.db.query(
    "CREATE TABLE marks (id integer PRIMARY KEY DEFERRABLE INITIALLY DEFERRED)",
  );
});
after(() => database.drop());
beforeEach(async () => {
  await database.db.query("TRUNCATE marks");
  proxy = await databaseProxy(database.url);
  connection = createHotConnection({
    url: proxy.url,
    applicationName: "test hot",
    onError: () => {},
  });
});
afterEach(async () => {
  await connection.close();
  await proxy.close();
});

const ask = async <R>(sql: string, params: readonly unknown[] = []): Promise<HotOutcome<R[]>> =>
  connection.transact((tx) => tx.query<R>(sql, params), 5_000);
const mark = (id: number): Promise<HotOutcome<unknown[]>> =>
  ask("INSERT INTO marks VALUES ($1)", [id]);
const marks = async (): Promise<number[]> =>
  (await database.db.query<{ id: number }>("SELECT id FROM marks ORDER BY id")).map(({ id }) => id);

const VALUES = `SELECT $1::text AS text, $2::text AS nothing, $3::bigint AS big, $4::int AS small, $5::boolean AS truth, $6::bytea AS bytes,
  $7::bigint[] AS bigs, $8::text[] AS texts, $9::jsonb AS json, $10::timestamptz AS at, $11::float8 AS number`;

test("values of every kind go there and come back, the first time and every other, no row and many rows too", async () => {
  const at = new Date("2026-11-21T09:30:00.125Z");
  const texts = ['quote " here', "back\\slash", "я, {and} 😀", null, ""];
  const json = { a: [1, "я"], b: null };
  const params = [
    "я\n",
    null,
    2n ** 62n,
    -7,
    true,
    Buffer.from([0, 255, 10]),
    [1n, null, -2n],
    texts,
    json,
    at,
    0.5,
  ];
  const expected = {
    text: "я\n",
    nothing: null,
    big: 2n ** 62n,
    small: -7,
    truth: true,
    bytes: params[5],
    bigs: [1n, null, -2n],
    texts,
    json,
    at,
    number: 0.5,
  };
  for (let run = 0; run < 3; run++) {
    assert.deepEqual(await ask(VALUES, params), { kind: "committed", value: [expected] });
    const numbers = await ask<{ n: number }>("SELECT n FROM generate_series(1, $1::int) n", [
      run * 100,
    ]);
    assert.ok(numbers.kind === "committed");
    assert.deepEqual(
      numbers.value.map(({ n }) => n),
      Array.from({ length: run * 100 }, (_, index) => index + 1),
    );
    assert.deepEqual(await mark(run), { kind: "committed", value: [] });
  }
});

test("a statement is written down and described once for a connection; a new connection starts anew", async () => {
  const sent = (): string => proxy.requests.map(String).join("");
  await mark(1);
  assert.match(sent(), /INSERT INTO marks/);
  proxy.requests.length = 0;
  await mark(2);
  assert.doesNotMatch(sent(), /INSERT INTO marks/);
  proxy.cut();
  while ((await mark(3)).kind !== "committed");
  assert.match(sent(), /INSERT INTO marks/);
  assert.deepEqual(await marks(), [1, 2, 3]);
});

test("a statement that fails the first time, while it is prepared or run or committed, works the next time", async () => {
  assert.equal((await ask("SELECT 1 / $1::int AS x", [0])).kind, "failed");
  assert.deepEqual(await ask("SELECT 1 / $1::int AS x", [1]), {
    kind: "committed",
    value: [{ x: 1 }],
  });
  assert.equal((await ask("SELECT id FROM later")).kind, "failed");
  await database.db.query("CREATE TABLE later (id integer)");
  assert.deepEqual(await ask("SELECT id FROM later"), { kind: "committed", value: [] });
});

test("what was given up is undecided until its server process is ended: then nothing of it can come any more", async () => {
  const impatient = createHotConnection({
    url: proxy.url,
    applicationName: "test given up",
    answerWithinMs: 500,
    onError: () => {},
  });
  const oldest = async (): Promise<unknown> =>
    (
      await database.db.query(
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'test given up' ORDER BY backend_start LIMIT 1",
      )
    )[0];
  try {
    await impatient.transact((tx) => tx.query("SELECT 1"), 5_000);
    assert.equal(impatient.undecided, false);
    const givenUp = await oldest();
    proxy.outage("silent");
    const outcome = await impatient.transact(
      (tx) => tx.query("INSERT INTO marks VALUES (1)"),
      5_000,
    );
    assert.deepEqual([outcome.kind, impatient.undecided], ["unknown", true]);
    proxy.recover();
    await until("it is decided", async () => !impatient.undecided);
    assert.notDeepEqual(await oldest(), givenUp);
  } finally {
    await impatient.close();
  }
});

test("one statement is heard to be sent, and to be committed before its outcome is; what cannot be made or done fails alone", async () => {
  const heard: unknown[] = [];
  const one = async (make: () => BoundStatement): Promise<string> => {
    const listener = {
      sent: () => void heard.push("sent"),
      committed: (rows: number) => void heard.push(rows),
    };
    const outcome = await connection.runOne(make, listener, 5_000);
    heard.push(outcome.kind === "committed" ? outcome.value : outcome.kind);
    return outcome.kind;
  };
  const insert = (id: number) => () => ({
    text: "INSERT INTO marks SELECT $1::int WHERE $1::int > 0 RETURNING id",
    parameters: [id],
  });
  await one(insert(1));
  await one(insert(0));
  await one(insert(1)); // the command succeeds, its commit does not
  await one(() => {
    throw new Error("it cannot be written down");
  });
  await one(insert(2));
  await one(() => ({ text: "INSERT INTO marks VALUES (3), (4)", parameters: [] }));
  await one(() => ({ text: "SELECT 'gives three' FROM generate_series(1, 3)", parameters: [] }));
  await one(() => ({ text: "SET search_path = public", parameters: [] }));
  const rows = [
    ...[["sent", 1, 1], ["sent", 0, 0], ["sent", "failed"], ["failed"], ["sent", 1, 1]],
    ...[
      ["sent", 2, 2],
      ["sent", 3, 3],
      ["sent", 0, 0],
    ],
  ];
  assert.deepEqual(heard, rows.flat());
  assert.deepEqual(await marks(), [1, 2, 3, 4]);
});

test("an error that only the commit finds undoes a single statement and several, and the session goes on", async () => {
  assert.equal((await mark(1)).kind, "committed");
  const twice = await mark(1); // the command succeeds, its commit does not
  assert.ok(twice.kind === "failed" && /marks_pkey/.test(String(twice.error)));
  const several = await connection.transact(async (tx) => {
    await Promise.all([
      tx.query("INSERT INTO marks VALUES ($1)", [2]),
      tx.query("INSERT INTO marks VALUES ($1)", [1]),
    ]);
  }, 5_000);
  assert.equal(several.kind, "failed");
  assert.deepEqual(await marks(), [1]);
  assert.equal((await mark(3)).kind, "committed");
  assert.deepEqual(await marks(), [1, 3]);
});

test("an error amid several statements undoes those before it, and the next transaction is not in the failed one", async () => {
  const outcome = await connection.transact(async (tx) => {
    await Promise.all([
      tx.query("INSERT INTO marks VALUES ($1)", [1]),
      tx.query("SELECT 1 / 0"),
      tx.query("INSERT INTO marks VALUES ($1)", [2]),
    ]);
  }, 5_000);
  assert.ok(outcome.kind === "failed" && /division by zero/.test(String(outcome.error)));
  assert.equal((await mark(3)).kind, "committed");
  assert.deepEqual(await marks(), [3]);
});

test("a process that stood still does not take its own absence for the database's silence", async () => {
  await mark(1);
  const slow = ask("SELECT pg_sleep(0.05)");
  const askedAt = performance.now();
  while (connection.silentForMs() === 0) await new Promise(setImmediate);
  // Nothing of ours runs meanwhile; the answer comes and waits in the socket.
  while (performance.now() - askedAt < 2_000);
  const silentMs = connection.silentForMs();
  assert.ok(silentMs > 0 && silentMs < 1_000, `${silentMs} ms`);
  assert.equal((await slow).kind, "committed");
  assert.equal(connection.silentForMs(), 0);
});

test("a database that is silent is silent for as long as it is", async () => {
  await mark(1);
  proxy.outage("silent");
  const asked = mark(2);
  const askedAt = performance.now();
  await until("the silence is counted", async () => connection.silentForMs() > 1_200, 5_000);
  const tookMs = performance.now() - askedAt;
  assert.ok(tookMs > 1_200 && tookMs < 2_500, `${tookMs} ms`);
  proxy.recover();
  await asked;
});
