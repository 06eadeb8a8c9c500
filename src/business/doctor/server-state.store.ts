/** What the database's server says of itself: its room for clients, its clock, and its log. */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";

export interface ServerState {
  /** Such as 180001. */
  readonly version: number;
  readonly maxConnections: number;
  /** For its own administrators. */
  readonly reservedConnections: number;
  readonly connections: bigint;
  readonly readOnly: boolean;
}

// pg_stat_activity hides much of other roles' sessions; the sums of databases are everybody's.
const STATE = statement({
  text: `SELECT current_setting('server_version_num')::integer AS version,
      current_setting('max_connections')::integer AS "maxConnections",
      current_setting('superuser_reserved_connections')::integer AS "reservedConnections",
      (SELECT coalesce(sum(numbackends), 0)::bigint FROM pg_stat_database) AS connections,
      current_setting('transaction_read_only')::boolean AS "readOnly"`,
  row: {
    version: sql.int4,
    maxConnections: sql.int4,
    reservedConnections: sql.int4,
    connections: sql.int8,
    readOnly: sql.bool,
  },
});

export async function readServerState(q: Queryable): Promise<ServerState> {
  const [state] = await q.run(STATE, []);
  if (state === undefined) throw new Error("the server says nothing of itself");
  return state;
}

const NOW = statement({
  text: "SELECT clock_timestamp() AS now",
  row: { now: sql.timestamptz },
});

export async function readServerClock(q: Queryable): Promise<Date> {
  const [row] = await q.run(NOW, []);
  if (row === undefined) throw new Error("the server does not tell the time");
  return row.now;
}

interface LogState {
  /** `off`, `on` or `always`. */
  readonly archiveMode: string;
  readonly archivedAt: Date | null;
  /** The last try to archive a piece of the log failed. */
  readonly archiveFails: boolean;
  /** Of the log, for readers that are not there. */
  readonly keptForAbsent: bigint;
}

const LOG = statement({
  text: `SELECT current_setting('archive_mode') AS "archiveMode",
      (SELECT last_archived_time FROM pg_stat_archiver) AS "archivedAt",
      coalesce((SELECT last_failed_time > coalesce(last_archived_time, '-infinity') FROM pg_stat_archiver), false) AS "archiveFails",
      coalesce((SELECT max(pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END, restart_lsn))
        FROM pg_replication_slots WHERE NOT active), 0)::bigint AS "keptForAbsent"`,
  row: {
    archiveMode: sql.text,
    archivedAt: sql.nullable(sql.timestamptz),
    archiveFails: sql.bool,
    keptForAbsent: sql.int8,
  },
});

export async function readLogState(q: Queryable): Promise<LogState> {
  const [state] = await q.run(LOG, []);
  if (state === undefined) throw new Error("the server says nothing of its log");
  return state;
}
