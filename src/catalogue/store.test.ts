/**
 * Guards the stored versions, on real PostgreSQL: numbered without gaps by any number of writers,
 * and never changed afterwards.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { appendVersion, digestOf, findVersion, newestFromFile, newestVersion } from "./store.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

test("the newest version is in force, every version stays readable, and the file's own is known apart", async () => {
  const { db } = database;
  assert.equal(await newestVersion(db), null);
  assert.equal(await newestFromFile(db), null);
  const first = await db.transaction((tx) =>
    appendVersion(tx, { source: "a: ${X}", origin: "file", appliedBy: "start" }),
  );
  const second = await db.transaction((tx) =>
    appendVersion(tx, { source: "b", origin: "apply", appliedBy: "operator" }),
  );
  assert.deepEqual([first.version, second.version], [1, 2]);
  assert.deepEqual(await newestVersion(db), second);
  assert.deepEqual(await newestVersion(db, 1), second);
  assert.equal(await newestVersion(db, 2), null);
  assert.deepEqual(await newestFromFile(db), first);
  assert.deepEqual(await findVersion(db, 1), first);
  assert.equal(await findVersion(db, 3), null);
  assert.deepEqual(
    [first.source, first.digest, first.origin, first.appliedBy],
    ["a: ${X}", digestOf("a: ${X}"), "file", "start"],
  );
  assert.ok(first.appliedAt instanceof Date);
});

test("writers at the same time get successive numbers", async () => {
  const { db } = database;
  const start = (await newestVersion(db))?.version ?? 0;
  const stored = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      db.transaction((tx) =>
        appendVersion(tx, { source: `c${index}`, origin: "apply", appliedBy: "race" }),
      ),
    ),
  );
  assert.deepEqual(
    stored.map(({ version }) => version).toSorted((a, b) => a - b),
    Array.from({ length: 8 }, (_, index) => start + 1 + index),
  );
});

test("a version that was rolled back leaves no gap", async () => {
  const { db } = database;
  const start = (await newestVersion(db))?.version ?? 0;
  await assert.rejects(
    db.transaction(async (tx) => {
      await appendVersion(tx, { source: "d", origin: "apply", appliedBy: "x" });
      throw new Error("never mind");
    }),
    /never mind/,
  );
  const stored = await db.transaction((tx) =>
    appendVersion(tx, { source: "e", origin: "apply", appliedBy: "x" }),
  );
  assert.equal(stored.version, start + 1);
});

test("the database refuses to change or remove a version", async () => {
  for (const statement of [
    "UPDATE catalogue.versions SET source = ''",
    "DELETE FROM catalogue.versions",
    "TRUNCATE catalogue.versions",
  ]) {
    await assert.rejects(database.db.query(statement), /append-only|permission denied/, statement);
  }
});
