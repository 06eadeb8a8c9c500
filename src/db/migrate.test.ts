/**
 * Migrations on a real PostgreSQL: each file exactly once, whole or not at all, and never against a
 * database of another story.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { migrate } from "./migrate.ts";

let database: TestDatabase;
let directory: string;
beforeEach(async () => {
  database = await testDatabase();
  await database.db.query("DROP SCHEMA migrations CASCADE"); // as if nothing had been applied
  directory = mkdtempSync(join(tmpdir(), "tollgate-migrate-"));
});
afterEach(async () => {
  await database.drop();
  rmSync(directory, { recursive: true });
});

const run = (): Promise<{ applied: string[] }> =>
  migrate({ url: database.url, directory, log: () => {} });
const file = (name: string, sql: string): void => writeFileSync(join(directory, name), sql);
const tables = async (): Promise<string[]> =>
  (
    await database.db.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
    )
  ).map(({ name }) => name);

test("files run in the order of their numbers, each once", async () => {
  file("0002_b.sql", "ALTER TABLE a ADD COLUMN later integer");
  file("0001_a.sql", "CREATE TABLE a (id integer)");
  assert.deepEqual(await run(), { applied: ["0001_a.sql", "0002_b.sql"] });
  file("0010_c.sql", "CREATE TABLE c (id integer)");
  assert.deepEqual(await run(), { applied: ["0010_c.sql"] });
  assert.deepEqual(await run(), { applied: [] });
  assert.deepEqual(await tables(), ["a", "c"]);
});

test("callers at the same moment wait for each other: every file is applied by exactly one", async () => {
  file("0001_a.sql", "CREATE TABLE a (id integer)");
  file("0002_b.sql", "CREATE TABLE b (id integer)");
  const results = await Promise.all(Array.from({ length: 4 }, run));
  assert.deepEqual(results.flatMap(({ applied }) => applied).toSorted(), [
    "0001_a.sql",
    "0002_b.sql",
  ]);
});

test("a file that fails leaves no trace, keeps the earlier ones, and is named with its line", async () => {
  file("0001_a.sql", "CREATE TABLE a (id integer)");
  file(
    "0002_b.sql",
    "CREATE TABLE b (id integer);\nCREATE TABLE c (id integer);\nSELECT nonsense;\n",
  );
  await assert.rejects(run(), /0002_b\.sql failed at line 3: column "nonsense" does not exist/);
  assert.deepEqual(await tables(), ["a"]);
  file("0002_b.sql", "CREATE TABLE b (id integer)");
  assert.deepEqual(await run(), { applied: ["0002_b.sql"] });
});

test("an applied file that was edited is an error that names it; other line ends are no edit", async () => {
  file("0001_a.sql", "CREATE TABLE a (\n id integer)");
  await run();
  file("0001_a.sql", "CREATE TABLE a (\r\n id integer)");
  assert.deepEqual(await run(), { applied: [] });
  file("0001_a.sql", "CREATE TABLE a (\n id bigint)");
  await assert.rejects(run(), /0001_a\.sql was edited/);
});

test("a database newer than the code is refused", async () => {
  file("0001_a.sql", "CREATE TABLE a (id integer)");
  file("0002_b.sql", "CREATE TABLE b (id integer)");
  await run();
  rmSync(join(directory, "0002_b.sql"));
  await assert.rejects(run(), /newer than this code: it has migration 0002_b\.sql/);
});

test("a file that is gone, late, misnamed or of a taken number is refused by name", async () => {
  file("0002_b.sql", "CREATE TABLE b (id integer)");
  file("0003_c.sql", "CREATE TABLE c (id integer)");
  await run();
  file("0001_late.sql", "CREATE TABLE late (id integer)");
  await assert.rejects(run(), /0001_late\.sql is numbered below 0003_c\.sql/);
  rmSync(join(directory, "0001_late.sql"));
  file("0003_twice.sql", "SELECT 1");
  await assert.rejects(run(), /0003_c\.sql and 0003_twice\.sql have the same number/);
  rmSync(join(directory, "0003_twice.sql"));
  file("4_d.sql", "SELECT 1");
  await assert.rejects(run(), /4_d\.sql is not named like/);
  rmSync(join(directory, "4_d.sql"));
  rmSync(join(directory, "0002_b.sql"));
  await assert.rejects(run(), /0002_b\.sql was applied to this database, but its file is gone/);
});

test("a file may not end the transaction it runs in", async () => {
  file("0001_a.sql", "CREATE TABLE a (id integer); COMMIT;");
  await assert.rejects(run(), /0001_a\.sql failed: a migration may not begin or end transactions/);
});
