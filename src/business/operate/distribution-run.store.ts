/**
 * What a distribution needs of the database while it runs: that it is alone, that the role may, that
 * this is the coordinator, and each of its statements in a transaction of its own.
 */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement, type Statement } from "../../db/statement.ts";
import type { PlannedStep } from "./distribution-steps.store.ts";

const TAKE_PLACE = statement({
  text: "SELECT pg_try_advisory_lock(hashtextextended('tollgate distribution', 0)) AS taken",
  row: { taken: sql.bool },
});

/**
 * Held for as long as its connection lasts; taken again by who has it already. False: another
 * distribution is at work.
 */
export async function takeDistributorPlace(q: Queryable): Promise<boolean> {
  const [row] = await q.run(TAKE_PLACE, []);
  return row?.taken === true;
}

const LEAVE_PLACE = statement({
  text: "SELECT pg_advisory_unlock_all()",
  row: { pg_advisory_unlock_all: sql.void },
});

/** The connection holds nothing else. */
export async function leaveDistributorPlace(q: Queryable): Promise<void> {
  await q.run(LEAVE_PLACE, []);
}

// The longest table may be copied for hours; a lock is never waited for so long, because whatever
// asks for the table meanwhile waits behind.
const LIMIT = statement({
  text: "SELECT set_config('lock_timeout', '2s', true) AS lock, set_config('statement_timeout', '24h', true) AS statement",
  row: { lock: sql.text, statement: sql.text },
});

/** In a transaction, whose only other work it is. */
export async function runStep(tx: Queryable, step: PlannedStep): Promise<void> {
  await tx.run(LIMIT, []);
  // Not declared: its text is made of the database's own names.
  const planned: Statement<readonly [], object> = { text: step.sql, parameters: [], row: {} };
  await tx.run(planned, []);
}

export interface DistributorRights {
  readonly role: string;
  readonly superuser: boolean;
  readonly standby: boolean;
  /** Tables and functions of the plan that belong to others. */
  readonly foreign: readonly string[];
}

const RIGHTS = statement({
  text: `
  SELECT current_user::text AS role, (SELECT r.rolsuper FROM pg_roles r WHERE r.rolname = current_user) AS superuser, pg_is_in_recovery() AS standby,
    ARRAY(SELECT c.oid::regclass::text FROM unnest($1::text[]) AS t (name) JOIN pg_class c ON c.oid = to_regclass(t.name)
      WHERE NOT pg_has_role(c.relowner, 'USAGE') ORDER BY 1)
    || ARRAY(SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE (n.nspname, p.proname) IN (('ledger', 'wall_partition'), ('months', 'wall'), ('ledger', 'shard_of'), ('ledger', 'spread'))
        AND NOT pg_has_role(p.proowner, 'USAGE') ORDER BY 1) AS foreign`,
  parameters: [sql.array(sql.text)],
  row: {
    role: sql.text,
    superuser: sql.bool,
    standby: sql.bool,
    foreign: sql.array(sql.text),
  },
});

export async function readRights(
  q: Queryable,
  tables: readonly string[],
): Promise<DistributorRights> {
  const [rights] = await q.run(RIGHTS, [[...tables]]);
  if (rights === undefined) throw new Error("the server says nothing of our role");
  return rights;
}

export interface CoordinatorState {
  readonly coordinator: boolean;
  /** The coordinator is in its own list of servers. */
  readonly listed: boolean;
  readonly workers: number;
}

// Not declared: only a database that has Citus could describe it.
const COORDINATOR: Statement<readonly [], CoordinatorState> = {
  text: `SELECT citus_is_coordinator() AS coordinator,
      EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0) AS listed,
      (SELECT count(*) FROM pg_dist_node WHERE groupid <> 0 AND isactive AND noderole = 'primary')::integer AS workers`,
  parameters: [],
  row: { coordinator: sql.bool, listed: sql.bool, workers: sql.int4 },
};

/** Of a database with the extension. */
export async function readCoordinator(q: Queryable): Promise<CoordinatorState> {
  const [state] = await q.run(COORDINATOR, []);
  if (state === undefined) throw new Error("Citus says nothing of its servers");
  return state;
}
