/**
 * Guarantee: accounts can be spread over servers: whatever belongs to one is found by its account,
 * and refers to nothing of another.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  LOCAL_TABLES,
  placeOf,
  REFERENCE_TABLES,
  tableFaults,
} from "../../src/business/operate/table-places.ts";
import { readTables } from "../../src/business/operate/tables.store.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(async () => database.drop());

async function faults(): Promise<string[]> {
  const tables = await readTables(database.db);
  return tables.flatMap(tableFaults);
}

test("each table of accounts has its account in front of its key, in each unique key and in each reference", async () => {
  assert.deepEqual(await faults(), []);
});

test("what has a place of its own is there, and has one", async () => {
  const names = new Set((await readTables(database.db)).map(({ name }) => name));
  const listed = [...Object.keys(LOCAL_TABLES), ...Object.keys(REFERENCE_TABLES)];
  assert.deepEqual(
    listed.filter((name) => !names.has(name)),
    [],
  );
  assert.equal(new Set(listed).size, listed.length);
  assert.equal(placeOf("ledger.accounts").kind, "distributed");
});

test("a table without its account, with a key or a reference that leaves it, is found", async () => {
  await database.db.query("CREATE SCHEMA planted");
  await database.db.query("CREATE TABLE planted.bare (id uuid PRIMARY KEY)");
  await database.db.query(
    "CREATE TABLE planted.keyed (id uuid PRIMARY KEY, account_id uuid NOT NULL, name text UNIQUE, bare uuid REFERENCES planted.bare)",
  );
  await database.db.query(
    "CREATE TABLE planted.good (account_id uuid, id uuid, account text, PRIMARY KEY (account_id, id))",
  );
  try {
    assert.deepEqual(
      (await faults()).filter((fault) => fault.includes("planted")),
      [
        "planted.bare has no account_id",
        "keyed_pkey of planted.keyed does not begin with account_id",
        "keyed_name_key of planted.keyed does not hold account_id",
        "keyed_bare_fkey of planted.keyed may lead to another account",
      ],
    );
  } finally {
    await database.db.query("DROP SCHEMA planted CASCADE");
  }
});
