/** Guarantee: files that were there before batches stay public, and nothing of an account's room changes. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { readMigrations } from "../../src/db/read-migrations.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { testDatabase } from "../support/database.ts";

const MIGRATIONS = join(import.meta.dirname, "../../migrations");
const NAME = `${"a1".repeat(16)}.png`;

test("a file of before is still served by its name and listed; without a purpose it is not private", async () => {
  const database = await testDatabase();
  const { db } = database;
  try {
    // As the tables were before: the migration is undone, a row written, and the migration run.
    await db.query("DROP SCHEMA batches CASCADE");
    await db.query(
      "DROP FUNCTION ledger.settle_part(uuid, uuid, uuid, bigint, bigint, bigint, integer, text, text, text, text, timestamptz, text, bigint, bigint, bigint, text, bigint, integer)",
    );
    await db.query("DROP FUNCTION ledger.release_rest(uuid, uuid)");
    await db.query("DROP INDEX files.private_files");
    await db.query("ALTER TABLE files.files DROP COLUMN purpose");
    const [accountId, fileId] = [newUuid(), newUuid()];
    await db.query("INSERT INTO directory.files (file_id, name, account_id) VALUES ($1, $2, $3)", [
      fileId,
      NAME,
      accountId,
    ]);
    await db.query(
      `INSERT INTO files.files (account_id, file_id, name, origin, state, owner_id, file_name, content_type, inline, bytes, sha256, stored_at, expires_at)
       VALUES ($1, $2, $3, 'upload', 'stored', $2, 'photo.png', 'image/png', true, 5, decode(repeat('00', 32), 'hex'), now(), now() + interval '1 day')`,
      [accountId, fileId, NAME],
    );
    const migration = readMigrations(MIGRATIONS).find(({ name }) => name === "0007_batches.sql");
    assert.ok(migration !== undefined);
    await db.query(migration.sql);
    const { findFile, listFiles } = await import("../../src/files/files.store.ts");
    assert.equal((await findFile(db, NAME)).state, "stored");
    assert.equal((await listFiles(db, { accountId, before: null, limit: 10 })).length, 1);
    const { findPrivateFile } = await import("../../src/files/private-files.store.ts");
    assert.equal(await findPrivateFile(db, accountId, fileId), null);
  } finally {
    await database.drop();
  }
});
