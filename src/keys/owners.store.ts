/** Which member of its account a key belongs to; a key without one is the account's. */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import { tellKeyChanged } from "./store.ts";
import type { StoredKey } from "./change.store.ts";

const KEYS_OF_OWNER = statement({
  text: `SELECT key_id AS "keyId" FROM keys.keys WHERE account_id = $1 AND owner_id = $2`,
  parameters: [sql.uuid, sql.uuid],
  row: { keyId: sql.uuid },
});

/** Deleted ones too: what they spent stays their owner's. */
export async function keysOfOwner(q: Queryable, accountId: Uuid, ownerId: Uuid): Promise<Uuid[]> {
  const rows = await q.run(KEYS_OF_OWNER, [accountId, ownerId]);
  return rows.map(({ keyId }) => keyId);
}

const OWNERS_OF_KEYS = statement({
  text: `SELECT key_id AS "keyId", owner_id AS "ownerId" FROM keys.keys
     WHERE account_id = $1 AND key_id = ANY ($2::uuid[]) AND owner_id IS NOT NULL`,
  parameters: [sql.uuid, sql.array(sql.uuid)],
  row: { keyId: sql.uuid, ownerId: sql.present(sql.uuid) },
});

/** By key id; those of the account itself are missing. */
export async function ownersOfKeys(
  q: Queryable,
  accountId: Uuid,
  keyIds: readonly Uuid[],
): Promise<ReadonlyMap<string, Uuid>> {
  if (keyIds.length === 0) return new Map();
  const rows = await q.run(OWNERS_OF_KEYS, [accountId, keyIds]);
  return new Map(rows.map(({ keyId, ownerId }) => [keyId, ownerId]));
}

const COUNT_BY_OWNER = statement({
  text: `SELECT owner_id AS "ownerId", count(*)::int AS count FROM keys.keys
     WHERE account_id = $1 AND owner_id IS NOT NULL AND deleted_at IS NULL GROUP BY owner_id`,
  parameters: [sql.uuid],
  row: { ownerId: sql.present(sql.uuid), count: sql.int4 },
});

/** How many keys each member has, without deleted ones; who has none is missing. */
export async function countByOwner(
  q: Queryable,
  accountId: Uuid,
): Promise<ReadonlyMap<Uuid, number>> {
  const rows = await q.run(COUNT_BY_OWNER, [accountId]);
  return new Map(rows.map(({ ownerId, count }) => [ownerId, count]));
}

const SET_OWNER = statement({
  text: "UPDATE keys.keys SET owner_id = $3 WHERE account_id = $1 AND key_id = $2",
  parameters: [sql.uuid, sql.uuid, sql.nullable(sql.uuid)],
});

/** A key that is locked, to a member that is; null: to the account. Tells every process. */
export async function setKeyOwner(
  tx: Queryable,
  key: StoredKey,
  ownerId: Uuid | null,
): Promise<void> {
  await tx.run(SET_OWNER, [key.accountId, key.keyId, ownerId]);
  await tellKeyChanged(tx, key.hash);
}

// Locked in the order of their ids, as their last uses are noted.
const RELEASE = statement({
  text: `
  WITH locked AS (
    SELECT key_id FROM keys.keys WHERE account_id = $1 AND owner_id = $2 ORDER BY key_id FOR NO KEY UPDATE)
  UPDATE keys.keys k SET owner_id = NULL FROM locked l WHERE k.account_id = $1 AND k.key_id = l.key_id
  RETURNING k.hash, k.deleted_at IS NULL AS live`,
  parameters: [sql.uuid, sql.uuid],
  row: { hash: sql.text, live: sql.bool },
});

/**
 * All keys of a member who leaves become the account's, and go on as they are. Returns how many of
 * them are not deleted. Tells every process.
 */
export async function releaseKeys(tx: Queryable, accountId: Uuid, ownerId: Uuid): Promise<number> {
  let live = 0;
  for (;;) {
    const keys = await tx.run(RELEASE, [accountId, ownerId]);
    if (keys.length === 0) return live;
    for (const { hash } of keys) await tellKeyChanged(tx, hash);
    live += keys.filter((key) => key.live).length;
    // Again: a key that was being rolled, and so waited for, has an heir of the same owner by now.
  }
}
