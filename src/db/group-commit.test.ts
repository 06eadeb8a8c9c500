/**
 * Group commit on a real PostgreSQL: one transaction per batch, exact verdicts, and nothing lost or
 * done twice when things break.
 */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { databaseProxy, type DatabaseProxy } from "../../test/support/database-proxy.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { Fault } from "../kernel/faults.ts";
import { createGroupCommit, type GroupCommit, type GroupCommitOptions } from "./group-commit.ts";
import { createHotConnection, type HotConnection, type PipelinedTx } from "./hot-connection.ts";

interface Row {
  readonly id: number;
  readonly amount: number;
}

let database: TestDatabase;
let proxy: DatabaseProxy;
let connection: HotConnection;
let impatient: HotConnection;
let errors: unknown[];
const opened: GroupCommit<Row, string>[] = [];

before(async () => {
  database = await testDatabase();
  // `xact` names the transaction that wrote a row, so that a test can see what was committed
  // together.
  await database.db.query(`
    CREATE TABLE boxes (id integer PRIMARY KEY, amount integer NOT NULL CHECK (amount >= 0), xact bigint NOT NULL DEFAULT txid_current());
    CREATE TABLE notes (id integer PRIMARY KEY)`);
});
after(() => database.drop());
beforeEach(async () => {
  await database.db.query("TRUNCATE boxes, notes");
  proxy = await databaseProxy(database.url);
  errors = [];
  connection = createHotConnection({
    url: proxy.url,
    applicationName: "test hot",
    answerWithinMs: 3_000,
    onError: () => {},
  });
  impatient = createHotConnection({
    url: proxy.url,
    applicationName: "test impatient",
    answerWithinMs: 200,
    onError: () => {},
  });
});
afterEach(async () => {
  for (const pipeline of opened.splice(0)) await pipeline.close();
  await connection.close();
  await impatient.close();
  await proxy.close();
});

/**
 * Adds boxes; a retry finds those that are there. Two statements, so that BEGIN and COMMIT are
 * needed.
 */
const addBoxes = async (
  tx: PipelinedTx,
  rows: readonly Row[],
  retry: boolean,
): Promise<string[]> => {
  const ids = rows.map((row) => row.id);
  const boxes = tx.query<{ id: number }>(
    `INSERT INTO boxes (id, amount) SELECT * FROM unnest($1::integer[], $2::integer[]) ${retry ? "ON CONFLICT DO NOTHING" : ""} RETURNING id`,
    [ids, rows.map((row) => row.amount)],
  );
  const notes = tx.query(
    `INSERT INTO notes SELECT * FROM unnest($1::integer[]) ${retry ? "ON CONFLICT DO NOTHING" : ""}`,
    [ids],
  );
  const added = new Set((await boxes).map((row) => row.id));
  await notes;
  return ids.map((id) => `${added.has(id) ? "added" : "found"} ${id}`);
};

function open(more: Partial<GroupCommitOptions<Row, string>> = {}): GroupCommit<Row, string> {
  const pipeline = createGroupCommit<Row, string>({
    connection,
    maxBatch: 100,
    maxQueued: 1000,
    patienceMs: 10_000,
    run: addBoxes,
    onError: (error) => errors.push(error),
    ...more,
  });
  opened.push(pipeline);
  return pipeline;
}

const box = (id: number, amount = 1): Row => ({ id, amount });
const count = async (): Promise<{ boxes: number; xacts: number; notes: number }> => {
  const [row] = await database.db.query<{ boxes: number; xacts: number; notes: number }>(
    "SELECT (SELECT count(*) FROM boxes)::int AS boxes, (SELECT count(DISTINCT xact) FROM boxes)::int AS xacts, (SELECT count(*) FROM notes)::int AS notes",
  );
  assert.ok(row);
  return row;
};
const isOverload = (error: unknown): boolean =>
  error instanceof Fault && error.code === "overloaded";

test("rows that arrive together share transactions of at most maxBatch, in order, one verdict each", async () => {
  const pipeline = open();
  const verdicts = await Promise.all(
    Array.from({ length: 250 }, (_, id) => pipeline.submit(box(id))),
  );
  assert.deepEqual(
    verdicts,
    Array.from({ length: 250 }, (_, id) => `added ${id}`),
  );
  assert.deepEqual(await count(), { boxes: 250, xacts: 3, notes: 250 });
});

test("a batch is sent whole: BEGIN, the statements and COMMIT, before any answer", async () => {
  const pipeline = open();
  await pipeline.submit(box(1));
  await impatient.transact((tx) => tx.query("SELECT 1"), 5_000); // connected, too, so that all that comes now is the batch
  proxy.requests.length = 0;
  await pipeline.submit(box(2));
  assert.equal(proxy.requests.length, 1);
  assert.match(String(proxy.requests[0]), /BEGIN[^]*COMMIT/);
});

test("rows that arrive while a batch is in flight wait and go together", async () => {
  const pipeline = open();
  await database.db.transaction(async (tx) => {
    await tx.query("LOCK TABLE boxes"); // the first batch stands here
    const first = pipeline.submit(box(0));
    while (pipeline.queued > 0 || (await waitingForLock()) === 0) await sleep(5);
    const rest = Array.from({ length: 50 }, (_, id) => pipeline.submit(box(id + 1)));
    assert.equal(pipeline.queued, 50);
    void Promise.all([first, ...rest]);
  });
  await pipeline.close();
  assert.deepEqual(await count(), { boxes: 51, xacts: 2, notes: 51 });
});

test("a row that fails fails alone, and leaves nothing of itself (hazards §19)", async () => {
  const pipeline = open();
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, id) => pipeline.submit(box(id, id === 7 || id === 15 ? -1 : 1))),
  );
  assert.deepEqual(
    results.flatMap((result, id) => (result.status === "rejected" ? [id] : [])),
    [7, 15],
  );
  const bad = results[7];
  assert.match(String(bad?.status === "rejected" && bad.reason), /violates check constraint/);
  assert.deepEqual((await count()).boxes, 18);
  assert.deepEqual((await count()).notes, 18);
});

test("a row whose values cannot be written down fails alone, before anything is sent", async () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  const pipeline = open({
    run: (tx, rows, retry) => {
      const verdicts = addBoxes(tx, rows, retry);
      void tx.query("SELECT $1::jsonb", [rows.map((row) => (row.id === 3 ? circle : row))[0]]);
      for (const row of rows) if (row.id === 3) void tx.query("SELECT $1::jsonb", [circle]);
      return verdicts;
    },
  });
  const results = await Promise.allSettled([1, 2, 3, 4].map((id) => pipeline.submit(box(id))));
  assert.deepEqual(
    results.map((result) => result.status),
    ["fulfilled", "fulfilled", "rejected", "fulfilled"],
  );
  assert.equal((await count()).boxes, 3);
});

test("committed but unanswered: the batch runs again, is told so, and nothing is done twice", async () => {
  const retries: boolean[] = [];
  const pipeline = open({
    run: (tx, rows, retry) => {
      retries.push(retry);
      return addBoxes(tx, rows, retry);
    },
  });
  await pipeline.submit(box(0));
  proxy.swallowAnswers();
  const verdicts = Promise.all([pipeline.submit(box(1)), pipeline.submit(box(2))]);
  while ((await count()).boxes < 3) await sleep(5);
  proxy.cut();
  assert.deepEqual(await verdicts, ["found 1", "found 2"]);
  assert.deepEqual(retries, [false, false, true]);
  assert.deepEqual(await count(), { boxes: 3, xacts: 2, notes: 3 });
});

test("an answer that does not come in time: the server process is ended before the batch runs again, so it cannot commit late", async () => {
  const retries: boolean[] = [];
  const pipeline = open({
    connection: impatient,
    run: (tx, rows, retry) => {
      retries.push(retry);
      const verdicts = addBoxes(tx, rows, retry);
      if (!retry) void tx.query("SELECT pg_sleep(4)"); // stands between what was written and its commit
      return verdicts;
    },
  });
  assert.equal(await pipeline.submit(box(1)), "added 1");
  assert.deepEqual(retries, [false, true]);
});

test("a batch whose session is ended by the server runs again", async () => {
  const pipeline = open();
  await pipeline.submit(box(0));
  let verdict: Promise<string> | undefined;
  await database.db.transaction(async (tx) => {
    await tx.query("LOCK TABLE boxes");
    verdict = pipeline.submit(box(1));
    while ((await waitingForLock()) === 0) await sleep(5);
    for (const pid of await sessions("test hot"))
      await tx.query("SELECT pg_terminate_backend($1, 5000)", [pid]);
  });
  assert.equal(await verdict, "added 1");
  assert.deepEqual(await count(), { boxes: 2, xacts: 2, notes: 2 });
});

test("a row waits no longer than its patience, then is refused as overload", async () => {
  const pipeline = open({ patienceMs: 300 });
  await proxy.close();
  await assert.rejects(pipeline.submit(box(1)), isOverload);
});

test("while the database is silent, new rows and those that wait are refused where that is asked for, but not those in flight", async () => {
  const pipeline = open({ patienceMs: 60_000, refuseAfterSilenceMs: 100 });
  await pipeline.submit(box(0));
  let first: Promise<string> | undefined;
  await database.db.transaction(async (tx) => {
    await tx.query("LOCK TABLE boxes");
    first = pipeline.submit(box(1));
    while ((await waitingForLock()) === 0) await sleep(5);
    await assert.rejects(pipeline.submit(box(4)), isOverload, "it waits behind the one in flight");
    while (connection.silentForMs() < 150) await sleep(10);
    await assert.rejects(pipeline.submit(box(2)), isOverload);
  });
  assert.equal(await first, "added 1");
  assert.equal(await pipeline.submit(box(3)), "added 3");
});

test("a full queue refuses at once; closing finishes what was taken and takes no more", async () => {
  const pipeline = open({ maxQueued: 2 });
  const taken = [pipeline.submit(box(1)), pipeline.submit(box(2))];
  await assert.rejects(pipeline.submit(box(3)), isOverload);
  const closing = pipeline.close();
  await assert.rejects(pipeline.submit(box(4)), isOverload);
  await closing;
  await assert.rejects(pipeline.submit(box(5)), isOverload);
  assert.deepEqual(await Promise.all(taken), ["added 1", "added 2"]);
});

test("the plan of a batch statement is pinned on this connection (performance §3)", async () => {
  const outcome = await connection.transact(async (tx) => {
    const rows = await tx.query<{ name: string; setting: string }>(
      "SELECT name, setting FROM pg_settings WHERE name IN ('enable_seqscan', 'enable_mergejoin', 'enable_hashjoin', 'plan_cache_mode', 'jit') ORDER BY name",
    );
    return rows.map(({ name, setting }) => `${name}=${setting}`).join(" ");
  }, 5_000);
  assert.deepEqual(outcome, {
    kind: "committed",
    value:
      "enable_hashjoin=on enable_mergejoin=off enable_seqscan=off jit=off plan_cache_mode=force_generic_plan",
  });
});

test("a statement after the first await is a bug that is reported, not half a transaction", async () => {
  const outcome = await connection.transact(async (tx) => {
    await tx.query("INSERT INTO notes VALUES (1)");
    await tx.query("INSERT INTO notes VALUES (2)");
  }, 5_000);
  assert.equal(outcome.kind, "unreadable");
});

async function waitingForLock(): Promise<number> {
  const rows = await database.db.query(
    "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
  );
  return rows.length;
}

async function sessions(applicationName: string): Promise<number[]> {
  const rows = await database.db.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()",
    [applicationName],
  );
  return rows.map(({ pid }) => pid);
}
