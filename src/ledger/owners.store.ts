/** Which processes are alive. Time is the database's clock only. */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import { OWNER_LEASE_MS } from "../kernel/limits.ts";

const LEASE = `clock_timestamp() + interval '${OWNER_LEASE_MS} milliseconds'`;

const REGISTER_OWNER = statement({
  text: `INSERT INTO ledger.owners (owner_id, alive_until) VALUES ($1, ${LEASE}) ON CONFLICT (owner_id) DO UPDATE SET alive_until = excluded.alive_until`,
  parameters: [sql.uuid],
});

/**
 * Starts a process's lease; to be committed before its first hold, because a hold without a living
 * owner is an orphan.
 */
export async function registerOwner(q: Queryable, ownerId: Uuid): Promise<void> {
  await q.run(REGISTER_OWNER, [ownerId]);
}

const BEAT_OWNER = statement({
  text: `UPDATE ledger.owners o SET alive_until = ${LEASE}
     FROM (SELECT owner_id, ledger.is_alive(alive_until) AS alive FROM ledger.owners WHERE owner_id = $1) before
     WHERE o.owner_id = before.owner_id RETURNING before.alive`,
  parameters: [sql.uuid],
  row: { alive: sql.bool },
});

/**
 * Renews the lease. `late`: it had run out, or the clock jumped, so others may have believed this
 * process dead; then other leases may be just as stale as ours was.
 */
export async function beatOwner(q: Queryable, ownerId: Uuid): Promise<"kept" | "late"> {
  const [row] = await q.run(BEAT_OWNER, [ownerId]);
  if (row === undefined) await registerOwner(q, ownerId);
  return row?.alive === true ? "kept" : "late";
}

const RETIRE_OWNER = statement({
  text: "DELETE FROM ledger.owners WHERE owner_id = $1",
  parameters: [sql.uuid],
});

/** Ends the lease at once: what this process still holds may be settled by others now. */
export async function retireOwner(q: Queryable, ownerId: Uuid): Promise<void> {
  await q.run(RETIRE_OWNER, [ownerId]);
}

const IS_DEAD = statement({
  text: `
  SELECT EXISTS (SELECT FROM ledger.owners me WHERE me.owner_id = $1 AND ledger.is_alive(me.alive_until))
    AND NOT EXISTS (SELECT FROM ledger.owners o WHERE o.owner_id = $2 AND ledger.is_alive(o.alive_until)) AS dead`,
  parameters: [sql.uuid, sql.uuid],
  row: { dead: sql.bool },
});

/**
 * Whether a process has let its lease run out. None has, as long as the judge's own lease is not
 * alive (see deadJournals).
 */
export async function isOwnerDead(q: Queryable, judgeId: Uuid, ownerId: Uuid): Promise<boolean> {
  const [row] = await q.run(IS_DEAD, [judgeId, ownerId]);
  return row?.dead === true;
}

const FORGET_OWNERS = statement({
  text: "DELETE FROM ledger.owners WHERE alive_until < clock_timestamp() - interval '1 hour'",
});

/** Removes leases that ran out long ago; their holds count as orphans with or without them. */
export async function forgetOwners(q: Queryable): Promise<void> {
  await q.run(FORGET_OWNERS, []);
}
