/**
 * Leases: which processes are alive, and the holds of those that are not. Time is the database's
 * clock only.
 */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import { OWNER_LEASE_MS } from "../kernel/limits.ts";
import type { Nano } from "../kernel/money.ts";

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
 * alive (see orphanedHolds).
 */
export async function isOwnerDead(q: Queryable, judgeId: Uuid, ownerId: Uuid): Promise<boolean> {
  const [row] = await q.run(IS_DEAD, [judgeId, ownerId]);
  return row?.dead === true;
}

export interface LiveHold {
  readonly holdId: Uuid;
  readonly accountId: Uuid;
  readonly budgetId: Uuid | null;
  readonly heldNano: Nano;
  readonly recordedNano: Nano;
  readonly priceVersion: number;
  readonly createdAt: Date;
  readonly reference: string;
  readonly detail: string;
}

const HOLD_COLUMNS = `h.hold_id AS "holdId", h.account_id AS "accountId", h.budget_id AS "budgetId", h.held_nano AS "heldNano",
  h.recorded_nano AS "recordedNano", h.price_version AS "priceVersion", h.created_at AS "createdAt", h.reference, h.detail`;

const HOLD_ROW = {
  holdId: sql.uuid,
  accountId: sql.uuid,
  budgetId: sql.nullable(sql.uuid),
  heldNano: sql.nano,
  recordedNano: sql.nano,
  priceVersion: sql.int4,
  createdAt: sql.timestamptz,
  reference: sql.text,
  detail: sql.text,
};

const ORPHANS = statement({
  text: `
  SELECT ${HOLD_COLUMNS}
  FROM ledger.holds h LEFT JOIN ledger.owners o USING (owner_id)
  WHERE h.owner_id IS NOT NULL AND (o.owner_id IS NULL OR NOT ledger.is_alive(o.alive_until)) AND NOT h.hold_id = ANY ($2::uuid[])
    AND EXISTS (SELECT FROM ledger.owners me WHERE me.owner_id = $1 AND ledger.is_alive(me.alive_until))
  ORDER BY h.hold_id LIMIT $3
  FOR UPDATE OF h SKIP LOCKED`,
  parameters: [sql.uuid, sql.array(sql.uuid), sql.whole],
  row: HOLD_ROW,
});

/**
 * Holds whose owner's lease ran out, locked until the transaction ends; holds without an owner are
 * never among them. Finds nothing while the asking process's own lease is not alive: after a
 * standstill of the database all leases have run out, and no process may judge the others before it
 * has been seen alive itself. Ids in `except` are passed over.
 */
export async function orphanedHolds(
  tx: Queryable,
  search: { readonly sweeperId: Uuid; readonly except: readonly Uuid[]; readonly limit: number },
): Promise<LiveHold[]> {
  return tx.run(ORPHANS, [search.sweeperId, search.except, search.limit]);
}

const FORGET_OWNERS = statement({
  text: "DELETE FROM ledger.owners WHERE alive_until < clock_timestamp() - interval '1 hour'",
});

/** Removes leases that ran out long ago; their holds count as orphans with or without them. */
export async function forgetOwners(q: Queryable): Promise<void> {
  await q.run(FORGET_OWNERS, []);
}

const FIND_HOLD = statement({
  text: `SELECT ${HOLD_COLUMNS} FROM ledger.holds h WHERE h.hold_id = $1`,
  parameters: [sql.uuid],
  row: HOLD_ROW,
});

/** A hold that has not ended; null when it has, or never was. */
export async function findHold(q: Queryable, holdId: Uuid): Promise<LiveHold | null> {
  const [row] = await q.run(FIND_HOLD, [holdId]);
  return row ?? null;
}
