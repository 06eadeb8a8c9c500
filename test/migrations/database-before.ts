/** A database as it is before a migration, for the test of what that makes of its rows. */
import { randomBytes } from "node:crypto";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase, type Db } from "../../src/db/database.ts";
import { migrate } from "../../src/db/migrate.ts";
import { readMigrations } from "../../src/db/read-migrations.ts";
import { VERSION } from "../../src/process/project-root.ts";
import { testDatabase } from "../support/database.ts";

const MIGRATIONS = join(import.meta.dirname, "../../migrations");

export interface DatabaseBefore extends AsyncDisposable {
  readonly db: Db;
  /** Applies the migration; those behind it are left out. */
  apply(): Promise<void>;
  /** And those behind it, for what reads the database as it is today, such as `verify`. */
  applyAll(): Promise<void>;
}

/** By its number. */
export async function databaseBefore(number: number): Promise<DatabaseBefore> {
  const around = await testDatabase();
  const name = `before_${process.pid}_${randomBytes(6).toString("hex")}`;
  await around.db.query(`CREATE DATABASE ${name}`);
  const url = new URL(around.url);
  url.pathname = `/${name}`;
  const directory = mkdtempSync(join(tmpdir(), "tollgate-migrations-"));

  async function applyUpTo(last: number): Promise<void> {
    for (const migration of readMigrations(MIGRATIONS))
      if (migration.number <= last)
        copyFileSync(join(MIGRATIONS, migration.name), join(directory, migration.name));
    await migrate({ url: url.href, directory, version: VERSION, log: () => {} });
  }

  await applyUpTo(number - 1);
  const db = openDatabase({
    url: url.href,
    poolSize: 2,
    applicationName: "migration test",
    onError: () => {},
  });
  return {
    db,
    apply: () => applyUpTo(number),
    applyAll: () => applyUpTo(Infinity),
    async [Symbol.asyncDispose]() {
      await db.close();
      await around.db.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await around.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
