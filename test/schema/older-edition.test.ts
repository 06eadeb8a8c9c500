/**
 * Guarantee: a start on a database of the edition before the baseline says what it found and what
 * to do, and leaves the database as it was.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";

/** Some of its files, in their order: the first and the last are what tells it. */
const OLDER_FILES = [
  "0001_schemas.sql",
  "0010_ledger.sql",
  "0011_accounts.sql",
  "0012_keys.sql",
  "0041_lean_ledger_functions.sql",
  "0060_tasks.sql",
  "0104_carried_budgets.sql",
];

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
  const { db } = database;
  const schemas = await db.query<{ name: string }>(
    "SELECT nspname AS name FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public', 'migrations')",
  );
  for (const { name } of schemas) await db.query(`DROP SCHEMA ${name} CASCADE`);
  await db.query("DELETE FROM migrations.applied");
  await db.query(
    `INSERT INTO migrations.applied (number, name, checksum)
     SELECT left(name, 4)::int, name, md5(name) FROM unnest($1::text[]) AS name`,
    [OLDER_FILES],
  );
  await db.query("CREATE SCHEMA accounts");
  await db.query("CREATE TABLE accounts.accounts (account_id uuid PRIMARY KEY, name text)");
  await db.query("INSERT INTO accounts.accounts VALUES (gen_random_uuid(), 'Kept')");
});
after(async () => database.drop());

test("it is refused with the reason and the way out, and nothing in it is changed", async () => {
  const command = createTollgateCommand({ DATABASE_URL: database.url });
  const { code, stdout, stderr } = await command.run("accounts", "list");
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /DATABASE_URL: This database was made by an earlier edition of this code/);
  assert.match(stderr, /begins with migration 0001_schemas\.sql/);
  assert.match(stderr, /ends with 0104_carried_budgets\.sql/);
  assert.match(stderr, /go on with the version that made it, or give this one an empty database/);
  const applied = await database.db.query<{ name: string }>(
    "SELECT name FROM migrations.applied ORDER BY number",
  );
  assert.deepEqual(
    applied.map(({ name }) => name),
    OLDER_FILES,
  );
  assert.deepEqual(await database.db.query("SELECT name FROM accounts.accounts"), [
    { name: "Kept" },
  ]);
});
