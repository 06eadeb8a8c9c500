/**
 * The stored keys (schema `keys`). Deleted ones stay, so that a request with one is told so and its
 * receipts keep their key.
 */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { RateLimits } from "../kernel/rate-limits.ts";
import type { KeyRecord } from "./key-record.ts";

export interface NewKey extends RateLimits {
  readonly keyId: Uuid;
  readonly accountId: Uuid;
  readonly hash: string;
  readonly mask: string;
  readonly name: string;
  readonly expiresAt: Date | null;
  readonly models: readonly string[] | null;
  readonly ips: readonly string[] | null;
  /** Locked, so that it is there; absent: in none. */
  readonly groupId?: Uuid | null;
  /** A member of the account, locked, so that it is there; absent: the account's. */
  readonly ownerId?: Uuid | null;
}

export interface KeyUse {
  readonly accountId: Uuid;
  readonly keyId: Uuid;
  readonly usedAt: Date;
}

/** Heard by every process; the payload is the hash of a key that was deleted or changed. */
export const KEYS_CHANNEL = "tollgate_keys";

/** Of a key that is called `k`. */
const COLUMNS = `key_id AS "keyId", account_id AS "accountId", hash, mask, name, created_at AS "createdAt", expires_at AS "expiresAt",
  deleted_at AS "deletedAt", frozen_at AS "frozenAt", rolled_to AS "rolledTo", last_used_at AS "lastUsedAt", models, ips,
  requests_per_minute AS "requestsPerMinute", tokens_per_minute AS "tokensPerMinute", max_concurrent AS "maxConcurrent", max_tasks AS "maxTasks",
  owner_id AS "ownerId", group_id AS "groupId", (SELECT g.models FROM keys.groups g WHERE g.account_id = k.account_id AND g.group_id = k.group_id) AS "groupModels",
  EXISTS (SELECT FROM keys.groups g WHERE g.account_id = k.account_id AND g.group_id = k.group_id AND g.frozen_at IS NOT NULL) AS "groupFrozen"`;

const OF_HASH =
  "(account_id, key_id) = (SELECT d.account_id, d.key_id FROM directory.keys d WHERE d.hash = $1)";

export async function insertKey(tx: Queryable, key: NewKey): Promise<KeyRecord> {
  const record = await insertKeyOnce(tx, { ...key, once: null });
  if (record === null) throw new Error("the insert returned no key");
  return record;
}

const KEY_ROW = {
  keyId: sql.uuid,
  accountId: sql.uuid,
  hash: sql.text,
  mask: sql.text,
  name: sql.text,
  createdAt: sql.timestamptz,
  expiresAt: sql.nullable(sql.timestamptz),
  deletedAt: sql.nullable(sql.timestamptz),
  frozenAt: sql.nullable(sql.timestamptz),
  rolledTo: sql.nullable(sql.uuid),
  lastUsedAt: sql.nullable(sql.timestamptz),
  models: sql.nullable(sql.array(sql.text)),
  ips: sql.nullable(sql.array(sql.text)),
  requestsPerMinute: sql.nullable(sql.int4),
  tokensPerMinute: sql.nullable(sql.int4),
  maxConcurrent: sql.nullable(sql.int4),
  maxTasks: sql.nullable(sql.int4),
  ownerId: sql.nullable(sql.uuid),
  groupId: sql.nullable(sql.uuid),
  groupModels: sql.nullable(sql.array(sql.text)),
  groupFrozen: sql.bool,
};

const INSERT_KEY_ONCE = statement({
  text: `WITH made AS (
       INSERT INTO keys.keys (key_id, account_id, hash, mask, name, expires_at, models, ips, requests_per_minute, tokens_per_minute, max_concurrent, max_tasks, once, group_id, owner_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT (account_id, once) WHERE once IS NOT NULL DO NOTHING RETURNING *),
     known AS (INSERT INTO directory.keys (hash, account_id, key_id) SELECT hash, account_id, key_id FROM made)
     SELECT ${COLUMNS} FROM made k`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.text,
    sql.text,
    sql.text,
    sql.nullable(sql.timestamptz),
    sql.nullable(sql.array(sql.text)),
    sql.nullable(sql.array(sql.text)),
    sql.nullable(sql.int4),
    sql.nullable(sql.int4),
    sql.nullable(sql.int4),
    sql.nullable(sql.int4),
    sql.nullable(sql.uuid),
    sql.nullable(sql.uuid),
    sql.nullable(sql.uuid),
  ],
  row: KEY_ROW,
});

/**
 * `once` names the form that made it; null: none did. Null when the account has a key of the same
 * one.
 */
export async function insertKeyOnce(
  tx: Queryable,
  key: NewKey & { readonly once: Uuid | null },
): Promise<KeyRecord | null> {
  const rows = await tx.run(INSERT_KEY_ONCE, [
    key.keyId,
    key.accountId,
    key.hash,
    key.mask,
    key.name,
    key.expiresAt,
    key.models,
    key.ips,
    key.requestsPerMinute,
    key.tokensPerMinute,
    key.maxConcurrent,
    key.maxTasks,
    key.once,
    key.groupId ?? null,
    key.ownerId ?? null,
  ]);
  return rows[0] ?? null;
}

const FIND_KEYS_BY_HASH = statement({
  text: `SELECT ${COLUMNS} FROM keys.keys k
     WHERE (account_id, key_id) IN (SELECT d.account_id, d.key_id FROM directory.keys d WHERE d.hash = ANY ($1::text[]))`,
  parameters: [sql.array(sql.text)],
  row: KEY_ROW,
});

/** Those of these hashes that there are, in any order. */
export async function findKeysByHash(
  q: Queryable,
  hashes: readonly string[],
): Promise<KeyRecord[]> {
  return q.run(FIND_KEYS_BY_HASH, [hashes]);
}

/** Deleted and expired keys are found too; the record says so. */
export async function findKeyByHash(q: Queryable, hash: string): Promise<KeyRecord | null> {
  const [key] = await findKeysByHash(q, [hash]);
  return key ?? null;
}

const FIND_KEY = statement({
  text: `SELECT ${COLUMNS} FROM keys.keys k WHERE account_id = $1 AND key_id = $2`,
  parameters: [sql.uuid, sql.uuid],
  row: KEY_ROW,
});

/** The same, by its id. */
export async function findKey(
  q: Queryable,
  accountId: Uuid,
  keyId: Uuid,
): Promise<KeyRecord | null> {
  const [row] = await q.run(FIND_KEY, [accountId, keyId]);
  return row ?? null;
}

export interface KeyPage {
  readonly accountId: Uuid;
  /** The id of the last one of the page before. */
  readonly before: Uuid | null;
  readonly limit: number;
  /** Deleted ones too. */
  readonly deleted?: boolean;
  /** Of this member only; absent or null: of whatever owner. */
  readonly ownerId?: Uuid | null;
}

const LIST_KEYS = statement({
  text: `SELECT ${COLUMNS} FROM keys.keys k
     WHERE account_id = $1 AND ($4::boolean OR deleted_at IS NULL) AND ($2::uuid IS NULL OR key_id < $2)
       AND ($5::uuid IS NULL OR owner_id = $5)
     ORDER BY key_id DESC LIMIT $3`,
  parameters: [sql.uuid, sql.nullable(sql.uuid), sql.whole, sql.bool, sql.nullable(sql.uuid)],
  row: KEY_ROW,
});

/** The keys of an account, newest first. */
export async function listKeys(
  q: Queryable,
  { accountId, before, limit, deleted = false, ownerId = null }: KeyPage,
): Promise<KeyRecord[]> {
  return q.run(LIST_KEYS, [accountId, before, limit, deleted, ownerId]);
}

const MARK_KEY_DELETED = statement({
  text: `UPDATE keys.keys k SET deleted_at = clock_timestamp() WHERE ${OF_HASH} AND deleted_at IS NULL RETURNING ${COLUMNS}`,
  parameters: [sql.text],
  row: KEY_ROW,
});

/**
 * Marks a key deleted when the transaction commits, and tells every process. Returns null when
 * there is no such key that is not deleted.
 */
export async function markKeyDeleted(tx: Queryable, hash: string): Promise<KeyRecord | null> {
  const rows = await tx.run(MARK_KEY_DELETED, [hash]);
  const record = rows[0];
  if (record === undefined) return null;
  await tellKeyChanged(tx, hash);
  return record;
}

const TELL_KEY_CHANGED = statement({
  text: "SELECT pg_notify($1, $2)",
  parameters: [sql.text, sql.text],
  row: { pg_notify: sql.void },
});

/** Every process forgets what it remembers of the key, when the transaction commits. */
export async function tellKeyChanged(tx: Queryable, hash: string): Promise<void> {
  await tx.run(TELL_KEY_CHANGED, [KEYS_CHANNEL, hash]);
}

const TOUCH_LAST_USED = statement({
  text: `WITH uses AS (SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS u (account_id, key_id, used_at)),
          locked AS (SELECT k.account_id, k.key_id FROM keys.keys k JOIN uses USING (account_id, key_id) ORDER BY k.key_id FOR NO KEY UPDATE OF k)
     UPDATE keys.keys k SET last_used_at = greatest(k.last_used_at, uses.used_at)
     FROM uses JOIN locked USING (account_id, key_id) WHERE k.account_id = uses.account_id AND k.key_id = uses.key_id`,
  parameters: [sql.array(sql.uuid), sql.array(sql.uuid), sql.array(sql.timestamptz)],
});

/** Notes when keys were last used; an earlier time never replaces a later one. */
export async function touchLastUsed(q: Queryable, uses: readonly KeyUse[]): Promise<void> {
  if (uses.length === 0) return;
  // Locked in the order of their ids, so that two processes that note the same keys wait for each
  // other instead of deadlocking.
  await q.run(TOUCH_LAST_USED, [
    uses.map((use) => use.accountId),
    uses.map((use) => use.keyId),
    uses.map((use) => use.usedAt),
  ]);
}
