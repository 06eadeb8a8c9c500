/** Which routes operators took out of use, and until when: what every process holds to. */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";

export interface OutKey {
  readonly upstream: string;
  /** Null: every route to the upstream. */
  readonly upstreamModel: string | null;
}

export interface StoredRouteOut extends OutKey {
  readonly until: Date;
  /** By the database's clock, so that no process needs a right one. */
  readonly leftMs: number;
  readonly reason: string | null;
  readonly takenBy: string;
  readonly takenAt: Date;
}

const OUT = statement({
  text: `
  SELECT upstream, nullif(upstream_model, '') AS "upstreamModel", until,
    extract(epoch FROM until - clock_timestamp())::float8 * 1000 AS "leftMs", reason, taken_by AS "takenBy", taken_at AS "takenAt"
  FROM operate.routes_out WHERE until > clock_timestamp() ORDER BY upstream, upstream_model`,
  row: {
    upstream: sql.text,
    upstreamModel: sql.nullable(sql.text),
    until: sql.timestamptz,
    leftMs: sql.float8,
    reason: sql.nullable(sql.text),
    takenBy: sql.text,
    takenAt: sql.timestamptz,
  },
});

/** Those that are out at this moment, in the order of their names. */
export async function routesOut(q: Queryable): Promise<StoredRouteOut[]> {
  return q.run(OUT, []);
}

const LOCK = statement({
  text: "SELECT pg_advisory_xact_lock(hashtext('tollgate routes out'))",
  row: { pg_advisory_xact_lock: sql.void },
});

/** One operator at a time takes out and puts back. */
export async function lockRoutesOut(tx: Queryable): Promise<void> {
  await tx.run(LOCK, []);
}

const TAKE = statement({
  text: `
  WITH gone AS (DELETE FROM operate.routes_out WHERE until <= clock_timestamp() AND NOT (upstream = $1 AND upstream_model = $2))
  INSERT INTO operate.routes_out (upstream, upstream_model, until, reason, taken_by)
  VALUES ($1, $2, clock_timestamp() + $3 * interval '1 minute', $4, $5)
  ON CONFLICT (upstream, upstream_model) DO UPDATE
    SET until = excluded.until, reason = excluded.reason, taken_by = excluded.taken_by, taken_at = clock_timestamp()
  RETURNING until`,
  parameters: [sql.text, sql.text, sql.float8, sql.nullable(sql.text), sql.text],
  row: { until: sql.timestamptz },
});

/** From now on, for so many minutes, whatever its time was before. Returns until when. */
export async function addRouteOut(
  tx: Queryable,
  out: OutKey & {
    readonly minutes: number;
    readonly reason: string | null;
    readonly takenBy: string;
  },
): Promise<Date | null> {
  const { upstream, upstreamModel, minutes, reason, takenBy } = out;
  const [row] = await tx.run(TAKE, [upstream, upstreamModel ?? "", minutes, reason, takenBy]);
  return row?.until ?? null;
}

const PUT_BACK = statement({
  text: "DELETE FROM operate.routes_out WHERE upstream = $1 AND upstream_model = $2",
  parameters: [sql.text, sql.text],
});

export async function removeRouteOut(
  tx: Queryable,
  { upstream, upstreamModel }: OutKey,
): Promise<void> {
  await tx.run(PUT_BACK, [upstream, upstreamModel ?? ""]);
}
