/**
 * Protects: what an operator has set for the server, the database or the role changes neither
 * values nor transactions, and a server that takes no writes is left alone until it takes them.
 */
import assert from "node:assert/strict";
import { after, before, test, type TestContext } from "node:test";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { until } from "../../test/support/until.ts";
import { Fault } from "../kernel/faults.ts";
import { answers } from "./answers.ts";
import { openDatabase, type Db } from "./database.ts";
import { createHotConnection, type HotConnection } from "./hot-connection.ts";

const READ_ONLY = "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY";
const ANSWER_MS = 2_000;
const CONNECTED_MS = 5_000;

let database: TestDatabase;
let name: string;
before(async () => {
  database = await testDatabase();
  name = new URL(database.url).pathname.slice(1);
  await database.db.query("CREATE TABLE boxes (id integer PRIMARY KEY)");
});
after(() => database.drop());

async function setDefault(setting: string, value: string | null): Promise<void> {
  await database.db.query(
    `ALTER DATABASE ${name} ${value === null ? `RESET ${setting}` : `SET ${setting} = '${value}'`}`,
  );
}

/** One connection, so that it is known which one a statement gets. */
function openOne(t: TestContext): Db {
  const db = openDatabase({
    url: database.url,
    poolSize: 1,
    applicationName: "test",
    onError: () => {},
  });
  t.after(() => db.close());
  return db;
}

function openHot(
  t: TestContext,
  url: string,
  onError: (error: unknown) => void = () => {},
): HotConnection {
  const hot = createHotConnection({ url, applicationName: "test", onError });
  t.after(() => hot.close());
  return hot;
}

const isOverload = (error: unknown): boolean =>
  error instanceof Fault && error.code === "overloaded";

test("defaults of the database change neither how values are written and read, nor transactions, nor that a commit is on the disk", async (t) => {
  const strange = {
    datestyle: "German, DMY",
    timezone: "Asia/Kathmandu",
    bytea_output: "escape",
    standard_conforming_strings: "off",
    default_transaction_isolation: "serializable",
    synchronous_commit: "off",
  };
  t.after(async () => {
    for (const setting of Object.keys(strange)) await setDefault(setting, null);
  });
  for (const [setting, value] of Object.entries(strange)) await setDefault(setting, value);
  const db = openOne(t);
  const hot = openHot(t, database.url);
  const LOOK = String.raw`SELECT '2026-03-04T05:06:07.008Z'::timestamptz AS at, '{"a":"\n"}'::jsonb AS json, '\x00ff'::bytea AS bytes,
    '2026-01-02T20:00:00Z'::timestamptz::date AS day,
    current_setting('transaction_isolation') AS isolation, current_setting('synchronous_commit') AS durable`;
  const usual = {
    at: new Date("2026-03-04T05:06:07.008Z"),
    json: { a: "\n" },
    bytes: Buffer.from([0, 255]),
    day: "2026-01-02",
    isolation: "read committed",
    durable: "on",
  };
  assert.deepEqual(await db.query(LOOK), [usual]);
  const seen = await hot.transact((tx) => tx.query(LOOK), CONNECTED_MS);
  assert.deepEqual(seen, { kind: "committed", value: [usual] });
  await setDefault("synchronous_commit", "remote_write");
  const other = openOne(t);
  const [kept] = await other.query<{ synchronous_commit: string }>("SHOW synchronous_commit");
  assert.equal(
    kept?.synchronous_commit,
    "remote_write",
    "what the operator chose beyond off stays",
  );
});

test("options of the address do not take the place of those that pin the plans", async (t) => {
  const url = new URL(database.url);
  url.searchParams.set("options", "-c enable_seqscan=on -c work_mem=7MB");
  const hot = openHot(t, url.href);
  const read =
    "SELECT current_setting('enable_seqscan') AS scan, current_setting('work_mem') AS memory";
  const seen = await hot.transact((tx) => tx.query(read), CONNECTED_MS);
  assert.deepEqual(seen, { kind: "committed", value: [{ scan: "off", memory: "7MB" }] });
});

test("a connection to a server that takes no writes any more is given up with the first write, and the next leads to one that does", async (t) => {
  const db = openOne(t);
  await db.query(READ_ONLY);
  assert.equal(await answers(db, ANSWER_MS), false, "not ready");
  assert.equal(await answers(db, ANSWER_MS), true, "ready with another connection");
  await db.query(READ_ONLY);
  await assert.rejects(
    db.transaction((tx) => tx.query("INSERT INTO boxes VALUES (1)")),
    isOverload,
  );
  await db.transaction((tx) => tx.query("INSERT INTO boxes VALUES (1)"));

  const hot = openHot(t, database.url);
  const insert = () => hot.transact((tx) => tx.query("INSERT INTO boxes VALUES (2)"), CONNECTED_MS);
  assert.equal((await hot.transact((tx) => tx.query(READ_ONLY), CONNECTED_MS)).kind, "committed");
  assert.equal((await insert()).kind, "failed");
  assert.equal((await insert()).kind, "committed");
});

test("no request gets a connection to a server that takes no writes, the log hears why, and it serves once it takes them", async (t) => {
  t.after(() => setDefault("default_transaction_read_only", null));
  await setDefault("default_transaction_read_only", "on");
  const db = openOne(t);
  const errors: string[] = [];
  const hot = openHot(t, database.url, (error) => void errors.push(String(error)));
  await assert.rejects(db.query("SELECT 1"), isOverload);
  await until("the log heard why", async () => errors.length > 0);
  assert.match(errors[0] ?? "", /takes no writes.*DATABASE_URL has to lead to the primary/);
  assert.equal((await hot.transact((tx) => tx.query("SELECT 1"), 1)).kind, "unreachable");
  await setDefault("default_transaction_read_only", null);
  assert.equal(await answers(db, ANSWER_MS), true);
  assert.equal((await hot.transact((tx) => tx.query("SELECT 1"), CONNECTED_MS)).kind, "committed");
});
