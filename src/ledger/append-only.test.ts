/**
 * History is immutable: the database refuses every change of an entry, by grants and, should those
 * be lost, by a trigger, in the table and in each of its partitions (contract §6, hazards §213).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fundedAccount } from "../../test/ledger/ledger-world.ts";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";

const changesOf = (table: string): readonly string[] => [
  `UPDATE ${table} SET amount_nano = 1`,
  `DELETE FROM ${table}`,
  `TRUNCATE ${table}`,
];
const PERMISSION_DENIED = "42501";
const RESTRICTED = "23001";

let database: TestDatabase;
let partitions: readonly string[];
before(async () => {
  database = await testDatabase();
  await fundedAccount(database.db, 5n);
  await database.db.query(
    "SELECT ledger.keep_months((clock_timestamp() + interval '5 months')::date, (clock_timestamp() + interval '5 months')::date)",
  );
  const rows = await database.db.query<{ name: string }>(
    "SELECT relid::text AS name FROM pg_partition_tree('ledger.entries') WHERE isleaf ORDER BY 1",
  );
  partitions = rows.map(({ name }) => name);
});
after(async () => database.drop());

test("there are partitions of the months, one that was made later, and that of all else", () => {
  assert.equal(partitions.length, 7);
  assert.ok(partitions.includes("ledger.entries_other"));
});

test("the role that the server runs as may not change or remove entries, wherever they stand", async () => {
  const [role] = await database.db.query<{ super: boolean }>(
    "SELECT rolsuper AS super FROM pg_roles WHERE rolname = current_user",
  );
  // A superuser passes the grants and meets the trigger.
  for (const change of ["ledger.entries", ...partitions].flatMap(changesOf))
    await assert.rejects(
      database.db.query(change),
      { code: role?.super === true ? RESTRICTED : PERMISSION_DENIED },
      change,
    );
});

test("with the grants given back, the triggers still refuse, and say what to do", async () => {
  for (const table of ["ledger.entries", ...partitions]) {
    await database.db.query(`GRANT UPDATE, DELETE, TRUNCATE ON ${table} TO CURRENT_USER`);
    for (const change of changesOf(table))
      await assert.rejects(
        database.db.query(change),
        { code: RESTRICTED, message: /append-only; book a new entry/ },
        change,
      );
  }
  assert.deepEqual(await database.db.query("SELECT amount_nano FROM ledger.entries"), [
    { amount_nano: 5n },
  ]);
});

test("without the trigger of the whole, as a distributed database has it, each partition refuses", async () => {
  await database.db.query("DROP TRIGGER append_only ON ledger.entries");
  for (const change of partitions.flatMap(changesOf))
    await assert.rejects(database.db.query(change), { code: RESTRICTED }, change);
});
