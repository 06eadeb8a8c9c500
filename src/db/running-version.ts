/**
 * Tells the other processes on a database which version of the program runs, for as long as a
 * connection lives, and which versions are there.
 */
import type { ClientBase } from "pg";
import type { Queryable } from "./database.ts";
import { runStatement } from "./run-statement.ts";
import { sql } from "./sql-type.ts";
import { statement } from "./statement.ts";
import { versionNumber, versionOf } from "./version-number.ts";

/**
 * The first of two keys. Any constant works, as long as nothing else takes it; these are the bytes
 * of "toll".
 */
const LOCK_CLASS = 1_953_459_308;

// Shared, and never taken alone: it is there to be seen, and PostgreSQL itself removes it with
// the session, however that ends.
const HOLD = statement({
  text: `SELECT pg_advisory_lock_shared(${LOCK_CLASS}, $1)`,
  parameters: [sql.int4],
  row: { pg_advisory_lock_shared: sql.void },
});

/** Until the session of the client ends. */
export async function tellVersion(
  client: Pick<ClientBase, "query">,
  version: string,
): Promise<void> {
  await runStatement(client, HOLD, [versionNumber(version)]);
}

// `objsubid` 2: a lock by two keys, of which `objid` is the second.
const OLDER = statement({
  text: `SELECT DISTINCT objid::int8::int4 AS version FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 2 AND classid::int8 = ${LOCK_CLASS} AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND objid::int8 < $1
    ORDER BY 1`,
  parameters: [sql.whole],
  row: { version: sql.int4 },
});

/** Of the processes that serve now, the versions below this one, oldest first. */
export async function olderVersionsRunning(
  client: Pick<ClientBase, "query">,
  version: string,
): Promise<string[]> {
  const rows = await runStatement(client, OLDER, [versionNumber(version)]);
  return rows.map((row) => versionOf(row.version));
}

// One row of each process: its connection that listens.
const RUNNING = statement({
  text: `SELECT objid::int8::int4 AS version FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 2 AND classid::int8 = ${LOCK_CLASS} AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    ORDER BY 1`,
  row: { version: sql.int4 },
});

/** Of each process that serves now, oldest first. */
export async function versionsRunning(q: Queryable): Promise<string[]> {
  return (await q.run(RUNNING, [])).map((row) => versionOf(row.version));
}
