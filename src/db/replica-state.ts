/**
 * Where a primary is in its log, how far a standby has replayed it, and whether it is the log of the
 * same database at all.
 */
import type { Queryable } from "./database.ts";
import { sql } from "./sql-type.ts";
import { statement } from "./statement.ts";

interface LogPlace {
  /** Of the cluster, given once when it was made: standbys have their primary's. */
  readonly cluster: bigint;
  readonly database: string;
  /** Each promotion begins another one. */
  readonly timeline: number;
}

export interface PrimaryPlace extends LogPlace {
  /** All that was committed before it was asked lies before this position of the log. */
  readonly position: bigint;
}

export interface StandbyPlace extends LogPlace {
  readonly inRecovery: boolean;
  /** All before it can be read here; null on a server that replays nothing. */
  readonly position: bigint | null;
}

/** Why a server is no replica of that primary. */
export type ReplicaMistake =
  | "not_a_standby"
  | "another_cluster"
  | "another_database"
  | "another_timeline";

// What is flushed, because nothing else is sent to standbys, and nothing else was acknowledged.
const PRIMARY = statement({
  text: `SELECT system_identifier AS cluster, current_database()::text AS database,
      ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::integer AS timeline,
      (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint AS position
    FROM pg_control_system()`,
  row: { cluster: sql.int8, database: sql.text, timeline: sql.int4, position: sql.int8 },
});

// Its control file knows the timeline since the last restart point: after a failover elsewhere a
// standby seems to be of the old one for some minutes, and never the other way round.
const STANDBY = statement({
  text: `SELECT s.system_identifier AS cluster, current_database()::text AS database,
      greatest(c.timeline_id, r.min_recovery_end_timeline) AS timeline,
      pg_is_in_recovery() AS "inRecovery",
      CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint END AS position
    FROM pg_control_system() AS s, pg_control_checkpoint() AS c, pg_control_recovery() AS r`,
  row: {
    cluster: sql.int8,
    database: sql.text,
    timeline: sql.int4,
    inRecovery: sql.bool,
    position: sql.nullable(sql.int8),
  },
});

/** Fails on a standby. */
export async function readPrimaryPlace(q: Queryable): Promise<PrimaryPlace> {
  const [row] = await q.run(PRIMARY, []);
  if (row === undefined) throw new Error("the server does not say where it is in its log");
  return row;
}

export async function readStandbyPlace(q: Queryable): Promise<StandbyPlace> {
  const [row] = await q.run(STANDBY, []);
  if (row === undefined) throw new Error("the server does not say where it is in its log");
  return row;
}

/** Null: it replays the log of that primary. */
export function replicaMistake(
  primary: LogPlace,
  standby: LogPlace & Pick<StandbyPlace, "inRecovery">,
): ReplicaMistake | null {
  if (standby.cluster !== primary.cluster) return "another_cluster";
  if (!standby.inRecovery) return "not_a_standby";
  if (standby.database !== primary.database) return "another_database";
  return standby.timeline === primary.timeline ? null : "another_timeline";
}
