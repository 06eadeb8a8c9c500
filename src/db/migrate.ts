/**
 * Brings a database to the schema of this code: numbered forward-only SQL files, each applied once
 * in its own transaction.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Client, DatabaseError } from "pg";
import { APPLIED, compareMigrations } from "./compare-migrations.ts";
import { unreachable } from "./connection-advice.ts";
import { prepareSession } from "./prepare-session.ts";
import { readMigrations, type Migration } from "./read-migrations.ts";
import { runStatement } from "./run-statement.ts";
import { olderVersionsRunning } from "./running-version.ts";
import { sql } from "./sql-type.ts";
import { statement } from "./statement.ts";
import { versionNumber } from "./version-number.ts";

/**
 * Any constant works, as long as nothing else takes it; these are the bytes of "tollgate" as a
 * bigint's decimal digits.
 */
const LOCK_KEY = "8389772263502804069";

export interface MigrateOptions {
  readonly url: string;
  /** The folder of `.sql` files. */
  readonly directory: string;
  /** Of this program, `0.2.0`. */
  readonly version: string;
  log(line: string): void;
}

/** How long a process that has just ended may still seem to be there. */
const GOING_MS = 5_000;
const LOOK_AGAIN_MS = 250;
/**
 * So long a migration waits for a table in use, and requests behind it; then it lets them pass, and
 * tries again.
 */
const LOCK_WAIT_MS = 1_000;
const LOCK_PAUSE_MS = 2_000;
/**
 * All tries of one change together: a backup may be reading a large table. Below the five minutes that
 * a start may take on Kubernetes (ops/kubernetes/base/deployment.yaml).
 */
const LOCK_PATIENCE_MS = 240_000;

/**
 * Applies what is missing and returns the names of the files applied now. Concurrent callers wait
 * for each other (advisory lock). A database that a newer version brought up to date is left as it
 * is, where its migrations let this version run beside them. Throws an Error that names the file
 * when they do not, when an applied file was edited or is gone, when a new file is numbered below an
 * applied one, when the database is of an edition that began with other files, while processes run
 * that are too old for what is missing, and when a file's SQL fails (that file leaves no trace,
 * earlier ones stay).
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
    await haveTable(client, options.log);
    const { missing, ahead } = compareMigrations(
      migrations,
      await runStatement(client, APPLIED, []),
      options.version,
    );
    if (ahead.length > 0)
      options.log(
        `the database has migrations of a newer version, beside which ${options.version} may run: ${ahead.join(", ")}`,
      );
    await refuseOlderProcesses(client, missing, options.log);
    for (const migration of missing) {
      await apply(client, migration, options.log);
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

const HAS_OLDEST_VERSION = statement({
  text: `SELECT EXISTS (SELECT FROM pg_attribute
      WHERE attrelid = to_regclass('migrations.applied') AND attname = 'oldest_version' AND NOT attisdropped) AS there`,
  row: { there: sql.bool },
});

/** Only looked at where it is as it should be: commands do this, too, and others may be reading it. */
async function haveTable(client: Client, log: (line: string) => void): Promise<void> {
  await client.query(`
    CREATE SCHEMA IF NOT EXISTS migrations;
    CREATE TABLE IF NOT EXISTS migrations.applied (
      number integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now(), oldest_version text
    )`);
  const [column] = await runStatement(client, HAS_OLDEST_VERSION, []);
  if (column?.there === true) return;
  await whenFree(client, "the list of applied migrations", log, async () => {
    await client.query("ALTER TABLE migrations.applied ADD COLUMN oldest_version text");
  });
}

/**
 * Throws when a process serves that is older than one of these migrations lets run beside it: it
 * would go on with tables that it does not know any more.
 */
async function refuseOlderProcesses(
  client: Client,
  missing: readonly Migration[],
  log: (line: string) => void,
): Promise<void> {
  const strictest = strictestOf(missing);
  if (strictest === null) return;
  const { name, oldestVersion } = strictest;
  const lookUntil = performance.now() + GOING_MS;
  for (let reported = false; ; reported = true) {
    const older = await olderVersionsRunning(client, oldestVersion);
    if (older.length === 0) return;
    const running = older.join(", ");
    if (performance.now() > lookUntil)
      throw new Error(
        `Migration ${name} may be applied when no process older than version ${oldestVersion} runs on this database, and ${running} does. Nothing was changed. Bring every process to ${oldestVersion} first, or stop those of ${running}; then start this one.`,
      );
    if (!reported) log(`migration ${name} waits for processes of version ${running} to end`);
    await sleep(LOOK_AGAIN_MS);
  }
}

function strictestOf(
  missing: readonly Migration[],
): { readonly name: string; readonly oldestVersion: string } | null {
  let strictest: { readonly name: string; readonly oldestVersion: string } | null = null;
  for (const { name, oldestVersion } of missing)
    if (
      oldestVersion !== null &&
      versionNumber(oldestVersion) > versionNumber(strictest?.oldestVersion ?? "0.0.0")
    )
      strictest = { name, oldestVersion };
  return strictest;
}

const MARK = statement({
  text: "SELECT current_setting('tollgate.migrating', true) AS mark",
  row: { mark: sql.nullable(sql.text) },
});

const NOTE_APPLIED = statement({
  text: "INSERT INTO migrations.applied (number, name, checksum, oldest_version) VALUES ($1, $2, $3, $4)",
  parameters: [sql.int4, sql.text, sql.text, sql.nullable(sql.text)],
});

async function apply(
  client: Client,
  migration: Migration,
  log: (line: string) => void,
): Promise<void> {
  const { number, name, checksum, oldestVersion } = migration;
  try {
    await whenFree(client, `migration ${name}`, log, async () => {
      await client.query("SET LOCAL tollgate.migrating = 'yes'");
      await client.query(migration.sql);
      const [marked] = await runStatement(client, MARK, []);
      if (marked?.mark !== "yes") throw new Error("a migration may not begin or end transactions");
      await runStatement(client, NOTE_APPLIED, [number, name, checksum, oldestVersion]);
    });
  } catch (cause) {
    throw new Error(
      `Migration ${name} failed${whereIn(migration.sql, cause)}: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
}

/** No lock in time, and a deadlock with requests that take theirs in another order. */
const IN_USE: ReadonlySet<string> = new Set(["55P03", "40P01"]);

/**
 * Makes a change in a transaction of its own; again and again while a table that it needs is in use
 * for longer than requests may be kept waiting.
 */
async function whenFree(
  client: Client,
  what: string,
  log: (line: string) => void,
  change: () => Promise<void>,
): Promise<void> {
  const giveUpAt = performance.now() + LOCK_PATIENCE_MS;
  for (let reported = false; ; reported = true) {
    try {
      await client.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`);
      await change();
      await client.query("COMMIT");
      return;
    } catch (cause) {
      await client.query("ROLLBACK").catch(() => {});
      const inUse = cause instanceof DatabaseError && IN_USE.has(cause.code ?? "");
      if (!inUse || performance.now() > giveUpAt) throw cause;
    }
    if (!reported) log(`${what} waits for a table that is in use`);
    await sleep(LOCK_PAUSE_MS);
  }
}

/** ` at line N` where PostgreSQL told the position in the text we sent. */
function whereIn(text: string, cause: unknown): string {
  const position =
    cause instanceof DatabaseError ? Number(cause.position ?? Number.NaN) : Number.NaN;
  return Number.isNaN(position) ? "" : ` at line ${text.slice(0, position).split("\n").length}`;
}
