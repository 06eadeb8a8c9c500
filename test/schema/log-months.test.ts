/**
 * Guarantee: months of events, webhooks and operators' actions are dropped as a whole when they were
 * kept long enough, never one that something waits for, and only where a setting says so.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import {
  dropOldLogMonths,
  keepLogMonthsAhead,
  type KeptMonths,
} from "../../src/business/operate/months-of-logs.store.ts";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";

const ALL: KeptMonths = { taskEvents: null, webhooks: null, audit: null };
/** From the running month back to the seventh before it. */
const MONTHS = 8;

let database: TestDatabase;
/** By how many months ago. */
let names: readonly string[];
const accountId = newUuid();
let taskIds: readonly Uuid[];

before(async () => {
  database = await testDatabase();
});
after(async () => database.drop());

beforeEach(async () => {
  const { db } = database;
  await db.query(
    "SELECT months.keep((clock_timestamp() - interval '9 months')::date, clock_timestamp()::date)",
  );
  await db.query("DELETE FROM tasks.jobs");
  await db.query("UPDATE tasks.webhooks SET due_at = NULL");
  const rows = await db.query<{ id: Uuid; month: string }>(
    `SELECT (left(ledger.first_id(moment)::text, 14) || right(gen_random_uuid()::text, 22))::uuid AS id,
       to_char(moment AT TIME ZONE 'Europe/Moscow', 'YYYY_MM') AS month
     FROM (SELECT (date_trunc('month', clock_timestamp() AT TIME ZONE 'Europe/Moscow') - n * interval '1 month' + interval '1 day')
             AT TIME ZONE 'Europe/Moscow' AS moment, n FROM generate_series(0, ${MONTHS - 1}) AS n) m ORDER BY n`,
  );
  names = rows.map(({ month }) => month);
  taskIds = rows.map(({ id }) => id);
  for (const id of taskIds) {
    await db.query(
      `INSERT INTO tasks.tasks (account_id, task_id, request_id, model, parameter_table, parameters, price_version, price_nano, deadline_at)
       VALUES ($1, $2, $2, 'm', 'T1', '{}', 1, 5, now())`,
      [accountId, id],
    );
    await db.query(
      "INSERT INTO tasks.events (account_id, task_id, seq, kind) VALUES ($1, $2, 1, 'created')",
      [accountId, id],
    );
    await db.query(
      "INSERT INTO tasks.webhooks (account_id, webhook_id, task_id, url, due_at) VALUES ($1, $2, $2, 'https://example.com', NULL)",
      [accountId, id],
    );
    await db.query(
      "INSERT INTO tasks.webhook_tries (account_id, webhook_id, try, took_ms) VALUES ($1, $2, 1, 1)",
      [accountId, id],
    );
    await db.query("INSERT INTO audit.actions (audit_id, actor, action) VALUES ($1, 'a', 'b')", [
      id,
    ]);
  }
});

async function partsOf(table: string): Promise<string[]> {
  const rows = await database.db.query<{ month: string }>(
    `SELECT right(c.relname, 7) AS month FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = $1::regclass AND c.relname !~ '_other$' ORDER BY 1`,
    [table],
  );
  return rows.map(({ month }) => month).filter((month) => names.includes(month));
}

const newest = (count: number): string[] => names.slice(0, count).toReversed();

test("without a setting everything stays", async () => {
  assert.deepEqual(await dropOldLogMonths(database.db, ALL), []);
  for (const table of ["tasks.events", "tasks.webhooks", "tasks.webhook_tries", "audit.actions"])
    assert.deepEqual(await partsOf(table), newest(MONTHS));
});

test("each table keeps as many whole months as its setting says, and webhooks go with their tries", async () => {
  const kept = { taskEvents: 4, webhooks: 1, audit: 2 };
  const gone = await dropOldLogMonths(database.db, kept);
  assert.ok(gone.includes(`tasks.events_${names[5]}`), gone.join(" "));
  assert.deepEqual(await partsOf("tasks.events"), newest(5));
  assert.deepEqual(await partsOf("tasks.webhooks"), newest(2));
  assert.deepEqual(await partsOf("tasks.webhook_tries"), newest(2));
  assert.deepEqual(await partsOf("audit.actions"), newest(3));
  assert.deepEqual(await partsOf("audit.account_actions"), newest(3));
  assert.deepEqual(await dropOldLogMonths(database.db, kept), [], "once");
  await database.db.transaction(keepLogMonthsAhead);
  assert.deepEqual(await partsOf("tasks.events"), newest(5), "what went does not come back");
});

test("a month that an unfinished task or an undelivered webhook belongs to waits for it", async () => {
  const { db } = database;
  await db.query(
    "INSERT INTO tasks.jobs (account_id, task_id, phase, lane) VALUES ($1, $2, 'running', 'poll:x')",
    [accountId, taskIds[6]],
  );
  await db.query("UPDATE tasks.webhooks SET due_at = now() WHERE webhook_id = $1", [taskIds[5]]);
  const kept = { taskEvents: 1, webhooks: 1, audit: null };
  await dropOldLogMonths(db, kept);
  const stay = [names[6], names[5], names[1], names[0]];
  assert.deepEqual(await partsOf("tasks.events"), stay);
  assert.deepEqual(await partsOf("tasks.webhook_tries"), stay);
  await db.query("DELETE FROM tasks.jobs");
  await db.query("UPDATE tasks.webhooks SET due_at = NULL");
  await dropOldLogMonths(db, kept);
  assert.deepEqual(await partsOf("tasks.events"), newest(2));
});

test("while somebody reads them they stay, and go the next time", async () => {
  const { db } = database;
  const read = Promise.withResolvers<void>();
  const leave = Promise.withResolvers<void>();
  const reader = db.transaction(async (tx) => {
    await tx.query("SELECT count(*) FROM tasks.events");
    read.resolve();
    await leave.promise;
  });
  await read.promise;
  const kept = { ...ALL, taskEvents: 1 };
  assert.deepEqual(await dropOldLogMonths(db, kept), []);
  assert.deepEqual(await partsOf("tasks.events"), newest(MONTHS));
  leave.resolve();
  await reader;
  await dropOldLogMonths(db, kept);
  assert.deepEqual(await partsOf("tasks.events"), newest(2));
});

test("months are made ahead, once, however many ask", async () => {
  const { db } = database;
  const [next] = await db.query<{ name: string }>(
    "SELECT to_char(clock_timestamp() AT TIME ZONE 'Europe/Moscow' + interval '3 months', 'YYYY_MM') AS name",
  );
  for (const table of ["tasks.events", "tasks.webhook_tries", "audit.actions"])
    await db.query(`DROP TABLE ${table}_${next?.name}`);
  await Promise.all(Array.from({ length: 6 }, () => db.transaction(keepLogMonthsAhead)));
  for (const table of ["tasks.events", "tasks.webhook_tries", "audit.actions"])
    await db.query(`SELECT FROM ${table}_${next?.name}`);
});
