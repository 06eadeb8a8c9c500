/**
 * Changes of stored keys: their settings, being stopped for a while, and giving their place to
 * another.
 */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { RateLimits } from "../kernel/rate-limits.ts";
import { tellKeyChanged } from "./store.ts";

const LOCK_KEY = statement({
  text: "SELECT true AS found FROM keys.keys WHERE account_id = $1 AND key_id = $2 FOR UPDATE",
  parameters: [sql.uuid, sql.uuid],
  row: { found: sql.bool },
});

/**
 * Makes others who would change this key wait until the transaction ends. False: there is no such
 * key.
 */
export async function lockKey(tx: Queryable, accountId: Uuid, keyId: Uuid): Promise<boolean> {
  return (await tx.run(LOCK_KEY, [accountId, keyId])).length > 0;
}

/** Which key, whose, and by which name processes know it. */
export interface StoredKey {
  readonly accountId: Uuid;
  readonly keyId: Uuid;
  readonly hash: string;
}

export interface KeyChange extends RateLimits {
  readonly name: string;
  readonly expiresAt: Date | null;
  readonly models: readonly string[] | null;
  readonly ips: readonly string[] | null;
}

const CHANGE_KEY = statement({
  text: `UPDATE keys.keys SET name = $3, expires_at = $4, models = $5, ips = $6, requests_per_minute = $7, tokens_per_minute = $8, max_concurrent = $9,
       max_tasks = $10
     WHERE account_id = $1 AND key_id = $2`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.text,
    sql.nullable(sql.timestamptz),
    sql.nullable(sql.array(sql.text)),
    sql.nullable(sql.array(sql.text)),
    sql.nullable(sql.int4),
    sql.nullable(sql.int4),
    sql.nullable(sql.int4),
    sql.nullable(sql.int4),
  ],
});

/** A key that is locked. Tells every process. */
export async function changeKey(tx: Queryable, key: StoredKey, change: KeyChange): Promise<void> {
  await tx.run(CHANGE_KEY, [
    key.accountId,
    key.keyId,
    change.name,
    change.expiresAt,
    change.models,
    change.ips,
    change.requestsPerMinute,
    change.tokensPerMinute,
    change.maxConcurrent,
    change.maxTasks,
  ]);
  await tellKeyChanged(tx, key.hash);
}

const SET_KEY_FROZEN = statement({
  text: "UPDATE keys.keys SET frozen_at = CASE WHEN $3::boolean THEN coalesce(frozen_at, clock_timestamp()) END WHERE account_id = $1 AND key_id = $2",
  parameters: [sql.uuid, sql.uuid, sql.bool],
});

/** A key that is locked; frozen since the first time. Tells every process. */
export async function setKeyFrozen(tx: Queryable, key: StoredKey, frozen: boolean): Promise<void> {
  await tx.run(SET_KEY_FROZEN, [key.accountId, key.keyId, frozen]);
  await tellKeyChanged(tx, key.hash);
}

// Locked in the order of their ids, as their last uses are noted.
const FREEZE_ALL = statement({
  text: `
  WITH locked AS (
    SELECT key_id FROM keys.keys WHERE account_id = $1 AND deleted_at IS NULL AND frozen_at IS NULL ORDER BY key_id FOR NO KEY UPDATE)
  UPDATE keys.keys k SET frozen_at = clock_timestamp() FROM locked l
  WHERE k.account_id = $1 AND k.key_id = l.key_id RETURNING k.key_id AS "keyId", k.hash`,
  parameters: [sql.uuid],
  row: { keyId: sql.uuid, hash: sql.text },
});

/** All keys of an account that are neither frozen nor deleted. Tells every process. */
export async function freezeKeys(tx: Queryable, accountId: Uuid): Promise<Uuid[]> {
  const keys = await tx.run(FREEZE_ALL, [accountId]);
  for (const { hash } of keys) await tellKeyChanged(tx, hash);
  return keys.map(({ keyId }) => keyId);
}

const COUNT_WORKING = statement({
  text: `SELECT count(*)::int AS count FROM keys.keys WHERE account_id = $1 AND deleted_at IS NULL AND frozen_at IS NULL`,
  parameters: [sql.uuid],
  row: { count: sql.int4 },
});

/** How many keys of an account are neither frozen nor deleted. */
export async function countWorkingKeys(q: Queryable, accountId: Uuid): Promise<number> {
  const [row] = await q.run(COUNT_WORKING, [accountId]);
  return row?.count ?? 0;
}

const REPLACE_KEY = statement({
  text: `UPDATE keys.keys SET rolled_to = $3, expires_at = least(expires_at, clock_timestamp() + $4::int * interval '1 hour')
     WHERE account_id = $1 AND key_id = $2`,
  parameters: [sql.uuid, sql.uuid, sql.uuid, sql.int4],
});

/**
 * A key that is locked lives on until then at the longest, beside the one that takes its place.
 * Tells every process.
 */
export async function replaceKey(
  tx: Queryable,
  key: StoredKey,
  by: { readonly keyId: Uuid; readonly overlapHours: number },
): Promise<void> {
  await tx.run(REPLACE_KEY, [key.accountId, key.keyId, by.keyId, by.overlapHours]);
  await tellKeyChanged(tx, key.hash);
}
