/**
 * History is immutable: the database refuses every change of an entry, by grants and, should those
 * be lost, by a trigger (contract §6, hazards §213).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fundedAccount } from "../../test/ledger/ledger-world.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";

const CHANGES = [
  "UPDATE ledger.entries SET amount_nano = 1",
  "DELETE FROM ledger.entries",
  "TRUNCATE ledger.entries",
];
const PERMISSION_DENIED = "42501";
const RESTRICTED = "23001";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
  await fundedAccount(database.db, 5n);
});
after(async () => database.drop());

test("the role that the server runs as may not change or remove entries", async () => {
  const [role] = await database.db.query<{ super: boolean }>(
    "SELECT rolsuper AS super FROM pg_roles WHERE rolname = current_user",
  );
  // A superuser passes the grants and meets the trigger.
  for (const change of CHANGES)
    await assert.rejects(
      database.db.query(change),
      { code: role?.super === true ? RESTRICTED : PERMISSION_DENIED },
      change,
    );
});

test("with the grants given back, the trigger still refuses, and says what to do", async () => {
  await database.db.query("GRANT UPDATE, DELETE, TRUNCATE ON ledger.entries TO CURRENT_USER");
  for (const change of CHANGES)
    await assert.rejects(
      database.db.query(change),
      { code: RESTRICTED, message: /append-only; book a new entry/ },
      change,
    );
  assert.deepEqual(await database.db.query("SELECT amount_nano FROM ledger.entries"), [
    { amount_nano: 5n },
  ]);
});
