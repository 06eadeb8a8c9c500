/**
 * Brings a database to the schema of this code: numbered forward-only SQL files, each applied once
 * in its own transaction.
 */
import { Client, DatabaseError } from "pg";
import { unreachable } from "./connection-advice.ts";
import type { Queryable } from "./database.ts";
import { prepareSession } from "./prepare-session.ts";
import { readMigrations, type Migration } from "./read-migrations.ts";
import { runStatement } from "./run-statement.ts";
import { sql } from "./sql-type.ts";
import { statement } from "./statement.ts";

/**
 * Any constant works, as long as nothing else takes it; these are the bytes of "tollgate" as a
 * bigint's decimal digits.
 */
const LOCK_KEY = "8389772263502804069";

export interface MigrateOptions {
  readonly url: string;
  /** The folder of `.sql` files. */
  readonly directory: string;
  log(line: string): void;
}

interface AppliedRow {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
}

const APPLIED = statement({
  text: "SELECT number, name, checksum FROM migrations.applied ORDER BY number",
  row: { number: sql.int4, name: sql.text, checksum: sql.text },
});

/**
 * Applies what is missing and returns the names of the files applied now. Concurrent callers wait
 * for each other (advisory lock). Throws an Error that names the file when an applied file was
 * edited or is gone, when a new file is numbered below an applied one, when the database is newer
 * than the code or of an edition that began with other files, and when a file's SQL fails (that
 * file leaves no trace, earlier ones stay).
 */
export async function migrate(options: MigrateOptions): Promise<{ applied: string[] }> {
  const migrations = readMigrations(options.directory);
  const client = new Client({
    connectionString: options.url,
    application_name: "tollgate migrate",
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  client.on("error", () => {}); // a broken connection also rejects the query in flight, which is where it is reported
  await client.connect().catch((cause: unknown) => {
    throw unreachable(cause);
  });
  try {
    await prepareSession(client);
    await takeLock(client, options.log);
    await client.query(`
      CREATE SCHEMA IF NOT EXISTS migrations;
      CREATE TABLE IF NOT EXISTS migrations.applied (
        number integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()
      )`);
    const missing = compare(migrations, await runStatement(client, APPLIED, []));
    for (const migration of missing) {
      await apply(client, migration);
      options.log(`applied migration ${migration.name}`);
    }
    return { applied: missing.map((migration) => migration.name) };
  } finally {
    await client.end(); // ends the session and with it the lock
  }
}

const TRY_LOCK = statement({
  text: `SELECT pg_try_advisory_lock(${LOCK_KEY}) AS taken`,
  row: { taken: sql.bool },
});

const LOCK = statement({
  text: `SELECT pg_advisory_lock(${LOCK_KEY})`,
  row: { pg_advisory_lock: sql.void },
});

async function takeLock(client: Client, log: (line: string) => void): Promise<void> {
  const [lock] = await runStatement(client, TRY_LOCK, []);
  if (lock?.taken === true) return;
  log("another process is migrating this database; waiting for it");
  await runStatement(client, LOCK, []);
}

const HAS_APPLIED = statement({
  text: "SELECT to_regclass('migrations.applied') IS NOT NULL AS there",
  row: { there: sql.bool },
});

/**
 * The names of the files that `migrate` would apply, of which it applies none. Throws what it would
 * throw before it does.
 */
export async function missingMigrations(q: Queryable, directory: string): Promise<string[]> {
  const migrations = readMigrations(directory);
  const [found] = await q.run(HAS_APPLIED, []);
  const applied = found?.there === true ? await q.run(APPLIED, []) : [];
  return compare(migrations, applied).map(({ name }) => name);
}

/**
 * The migrations still to apply, or an Error when the database and the files tell different
 * stories.
 */
function compare(migrations: readonly Migration[], applied: readonly AppliedRow[]): Migration[] {
  refuseOtherEdition(migrations, applied);
  const newest = applied.at(-1);
  const known = new Map(migrations.map((migration) => [migration.number, migration]));
  for (const row of applied) {
    const migration = known.get(row.number);
    if (migration === undefined) {
      const newestKnown = migrations.at(-1)?.number ?? 0;
      throw new Error(
        row.number > newestKnown
          ? `This database is newer than this code: it has migration ${row.name}, which is not here. Run the newer version, or restore a backup from before the upgrade.`
          : `Migration ${row.name} was applied to this database, but its file is gone. Restore the file.`,
      );
    }
    if (migration.checksum !== row.checksum) {
      throw new Error(
        `Migration ${migration.name} was edited after it was applied to this database. Restore it and put the change in a new file.`,
      );
    }
  }
  const missing = migrations.filter(
    (migration) => !applied.some((row) => row.number === migration.number),
  );
  const late = missing.find(
    (migration) => newest !== undefined && migration.number < newest.number,
  );
  if (late !== undefined && newest !== undefined) {
    throw new Error(
      `Migration ${late.name} is numbered below ${newest.name}, which is already applied. Give it the next free number.`,
    );
  }
  return missing;
}

/**
 * A database that begins with another first file was made by an edition whose files were written
 * anew since: they say nothing of what would have to change in it.
 */
function refuseOtherEdition(
  migrations: readonly Migration[],
  applied: readonly AppliedRow[],
): void {
  const [first] = migrations;
  const [begun] = applied;
  if (begun === undefined || begun.number !== first?.number || begun.name === first.name) return;
  const newest = applied.at(-1) ?? begun;
  throw new Error(
    `This database was made by an earlier edition of this code: it begins with migration ${begun.name} and ends with ${newest.name}, but migrations begin with ${first.name} now, and tables of that edition are not taken over. Nothing in it was changed: go on with the version that made it, or give this one an empty database.`,
  );
}

const MARK = statement({
  text: "SELECT current_setting('tollgate.migrating', true) AS mark",
  row: { mark: sql.nullable(sql.text) },
});

const NOTE_APPLIED = statement({
  text: "INSERT INTO migrations.applied (number, name, checksum) VALUES ($1, $2, $3)",
  parameters: [sql.int4, sql.text, sql.text],
});

async function apply(client: Client, migration: Migration): Promise<void> {
  try {
    await client.query("BEGIN; SET LOCAL tollgate.migrating = 'yes'");
    await client.query(migration.sql);
    const [marked] = await runStatement(client, MARK, []);
    if (marked?.mark !== "yes") throw new Error("a migration may not begin or end transactions");
    const { number, name, checksum } = migration;
    await runStatement(client, NOTE_APPLIED, [number, name, checksum]);
    await client.query("COMMIT");
  } catch (cause) {
    await client.query("ROLLBACK").catch(() => {});
    throw new Error(
      `Migration ${migration.name} failed${whereIn(migration.sql, cause)}: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
}

/** ` at line N` where PostgreSQL told the position in the text we sent. */
function whereIn(text: string, cause: unknown): string {
  const position =
    cause instanceof DatabaseError ? Number(cause.position ?? Number.NaN) : Number.NaN;
  return Number.isNaN(position) ? "" : ` at line ${text.slice(0, position).split("\n").length}`;
}
