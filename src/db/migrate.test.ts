/**
 * Migrations on a real PostgreSQL: each file exactly once, whole or not at all, and never against a
 * database of another story.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { Client } from "pg";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { until } from "../../test/support/until.ts";
import { migrate } from "./migrate.ts";
import { tellVersion } from "./running-version.ts";

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

const run = (
  version = "0.1.0",
  log: (line: string) => void = () => {},
): Promise<{ applied: string[] }> => migrate({ url: database.url, directory, version, log });
const file = (name: string, sql: string): void => writeFileSync(join(directory, name), sql);
const beside = (version: string): string =>
  `-- What it is for.\n-- Oldest version that may run beside it: ${version}\n`;
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
  const results = await Promise.all(Array.from({ length: 4 }, () => run()));
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

test("a version runs on a newer database whose migrations let it, and changes nothing", async () => {
  file("0001_a.sql", "CREATE TABLE a (id integer)");
  await run("0.1.0");
  file("0002_b.sql", `${beside("0.1.0")}CREATE TABLE b (id integer)`);
  file("0003_c.sql", `${beside("0.2.0")}DROP TABLE a`);
  await run("0.3.0");
  rmSync(join(directory, "0003_c.sql"));
  assert.deepEqual(await run("0.2.0"), { applied: [] });
  assert.deepEqual(await run("0.10.0"), { applied: [] });
  assert.deepEqual(await tables(), ["b"]);
});

test("a version that they do not let is refused with the one that it needs", async () => {
  file("0001_a.sql", "CREATE TABLE a (id integer)");
  await run("0.1.0");
  file("0002_b.sql", `${beside("0.1.0")}CREATE TABLE b (id integer)`);
  file("0003_c.sql", `${beside("0.10.0")}DROP TABLE a`);
  file("0004_d.sql", `${beside("0.2.0")}CREATE TABLE d (id integer)`);
  await run("0.10.0");
  for (const name of ["0002_b.sql", "0003_c.sql", "0004_d.sql"]) rmSync(join(directory, name));
  await assert.rejects(
    run("0.2.0"),
    /0003_c\.sql no version older than 0\.10\.0 may run, and this is 0\.2\.0\. Run 0\.10\.0 or newer/,
  );
});

test("a file that says no version lets none run that does not have it; one that says nonsense is refused", async () => {
  file("0001_a.sql", "CREATE TABLE a (id integer)");
  file("0002_b.sql", `${beside("0.1.0")}CREATE TABLE b (id integer)`);
  file("0003_c.sql", "CREATE TABLE c (id integer)");
  await run();
  for (const name of ["0002_b.sql", "0003_c.sql"]) rmSync(join(directory, name));
  await assert.rejects(run("9.0.0"), /newer than this code: it has migration 0003_c\.sql/);
  file("0002_b.sql", `${beside("the last one")}CREATE TABLE b (id integer)`);
  await assert.rejects(run(), /0002_b\.sql names "the last one" as the oldest version/);
});

test("a table of what was applied that an earlier version made is taken over", async () => {
  file("0001_a.sql", "CREATE TABLE a (id integer)");
  await run();
  await database.db.query("ALTER TABLE migrations.applied DROP COLUMN oldest_version");
  assert.deepEqual(await run(), { applied: [] });
  file("0002_b.sql", `${beside("0.1.0")}CREATE TABLE b (id integer)`);
  await run("0.2.0");
  assert.deepEqual(
    await database.db.query(
      "SELECT number, oldest_version FROM migrations.applied ORDER BY number",
    ),
    [
      { number: 1, oldest_version: null },
      { number: 2, oldest_version: "0.1.0" },
    ],
  );
});

test("while a process serves that is too old for a file, none is applied; then they are", async () => {
  file("0001_a.sql", "CREATE TABLE a (id integer)");
  await run();
  file("0002_b.sql", `${beside("0.1.0")}CREATE TABLE b (id integer)`);
  file("0003_c.sql", `${beside("0.2.0")}DROP TABLE a`);
  const [old, recent] = [0, 1].map(() => new Client({ connectionString: database.url }));
  assert.ok(old !== undefined && recent !== undefined);
  try {
    await Promise.all([old.connect(), recent.connect()]);
    await tellVersion(old, "0.1.9");
    await tellVersion(recent, "0.2.0");
    await assert.rejects(
      run("0.3.0"),
      /0003_c\.sql may be applied when no process older than version 0\.2\.0 runs on this database, and 0\.1\.9 does/,
    );
    assert.deepEqual(await tables(), ["a"]);
    await old.end();
    assert.deepEqual(await run("0.3.0"), { applied: ["0002_b.sql", "0003_c.sql"] });
  } finally {
    await Promise.all([old.end(), recent.end()]);
  }
});

test("a file waits for a table in use, and lets those behind it pass meanwhile", async () => {
  file("0001_a.sql", "CREATE TABLE a (id integer)");
  await run();
  file("0002_b.sql", `${beside("0.1.0")}ALTER TABLE a ADD COLUMN b integer`);
  const reader = new Client({ connectionString: database.url });
  await reader.connect();
  try {
    await reader.query("BEGIN");
    await reader.query("SELECT FROM a");
    const lines: string[] = [];
    const applying = run("0.2.0", (line) => lines.push(line));
    await until(
      "the file waits",
      async () =>
        (
          await database.db.query(
            "SELECT FROM pg_locks WHERE relation = to_regclass('a') AND NOT granted",
          )
        ).length > 0,
    );
    // Waits behind the file, while the reader goes on: for ever, were the file not to let it pass.
    await database.db.query("SELECT FROM a");
    await until("the file has let it pass", async () => lines.length > 0);
    await reader.query("COMMIT");
    assert.deepEqual(await applying, { applied: ["0002_b.sql"] });
    assert.deepEqual(lines, [
      "migration 0002_b.sql waits for a table that is in use",
      "applied migration 0002_b.sql",
    ]);
  } finally {
    await reader.end();
  }
});
