/**
 * Guarantee: every event, webhook, try and action that was there before they lay in months is there
 * after it, as it was, in the month of its id; and none can be changed in its part either.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import { databaseBefore } from "./database-before.ts";

const TABLES = ["tasks.events", "tasks.webhooks", "tasks.webhook_tries", "audit.actions"] as const;

test("rows of before lie in their months, and nothing of them has changed", async () => {
  await using before = await databaseBefore(4);
  const { db } = before;
  const rowsOf = (table: string) =>
    db.query<{ row: unknown }>(`SELECT to_jsonb(t) AS row FROM ${table} t ORDER BY t::text`);
  const accountId = newUuid();
  const now = newUuid();
  const ids = await db.query<{ id: Uuid }>(
    `SELECT (left(ledger.first_id(clock_timestamp() - n * interval '1 month')::text, 14) || right($1::text, 22))::uuid AS id
     FROM generate_series(7, 0, -1) AS n`,
    [now],
  );
  // One that is of no time at all.
  const taskIds = [...ids.map(({ id }) => id), "f3a1c2d4-5e6f-4a1b-8c2d-3e4f5a6b7c8d"];
  for (const id of taskIds) {
    await db.query(
      `INSERT INTO tasks.tasks (account_id, task_id, request_id, model, parameter_table, parameters, price_version, price_nano, deadline_at)
       VALUES ($1, $2, $2, 'm', 'T1', '{}', 1, 5, now())`,
      [accountId, id],
    );
    await db.query(
      `INSERT INTO tasks.events (account_id, task_id, seq, kind, detail) VALUES ($1, $2, 1, 'created', NULL), ($1, $2, 2, 'submitted', '{"to": 1}')`,
      [accountId, id],
    );
    await db.query(
      "INSERT INTO tasks.webhooks (account_id, webhook_id, task_id, url, tries, due_at) VALUES ($1, $2, $2, 'https://Example.com/a', 1, NULL)",
      [accountId, id],
    );
    await db.query(
      "INSERT INTO tasks.webhook_tries (account_id, webhook_id, try, status, took_ms) VALUES ($1, $2, 1, 500, 12)",
      [accountId, id],
    );
    await db.query(
      `INSERT INTO audit.actions (audit_id, actor, action, account_id, before) VALUES ($1, 'cli:test', 'account.block', $2, '{"a": 1}')`,
      [id, accountId],
    );
  }
  const old = await Promise.all(TABLES.map(rowsOf));

  await before.apply();

  assert.deepEqual(await Promise.all(TABLES.map(rowsOf)), old);
  for (const [nth, table] of TABLES.entries()) {
    const key = nth === 0 ? "task_id" : nth === 3 ? "audit_id" : "webhook_id";
    const places = await db.query<{ wrong: string }>(
      `SELECT tableoid::regclass::text || ' has ' || ${key} AS wrong FROM ${table}
       WHERE right(tableoid::regclass::text, 7) <> to_char(ledger.time_of(${key}) AT TIME ZONE 'Europe/Moscow', 'YYYY_MM') AND ${key} <> $1`,
      [taskIds.at(-1)],
    );
    assert.deepEqual(places, []);
  }
  const parts = await db.query<{ part: string }>(
    `SELECT inhrelid::regclass::text AS part FROM pg_inherits
     WHERE inhparent IN ('tasks.events'::regclass, 'audit.actions'::regclass) AND inhrelid::regclass::text NOT LIKE '%index%'`,
  );
  assert.ok(parts.length >= 2 * (8 + 3 + 1), String(parts.length));
  for (const { part } of parts)
    for (const change of [`DELETE FROM ${part}`, `TRUNCATE ${part}`])
      await assert.rejects(db.query(change), /append-only|permission denied/);
  await db.query(
    "INSERT INTO tasks.webhooks (account_id, webhook_id, task_id, url) VALUES ($1, $2, $3, 'HTTPS://example.org')",
    [accountId, newUuid(), taskIds[0]],
  );
  assert.deepEqual(await db.query("SELECT host FROM tasks.webhooks WHERE due_at IS NOT NULL"), [
    { host: "example.org" },
  ]);
});
