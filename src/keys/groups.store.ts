/**
 * Groups of keys: what they are called and which models their keys may call. Deleted ones stay, so
 * that what was spent in them keeps its name.
 */
import { uuidArray } from "../db/array-params.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import { KEYS_CHANNEL, tellKeyChanged } from "./store.ts";

export interface GroupRecord {
  /** Also the id of the group's budget in the ledger. */
  readonly groupId: Uuid;
  readonly accountId: Uuid;
  readonly name: string;
  /** Ids of the only models that its keys may call; null: all. */
  readonly models: readonly string[] | null;
  readonly createdAt: Date;
  /** Since when it is switched off; null: it is not. */
  readonly frozenAt: Date | null;
  readonly deletedAt: Date | null;
  /** Keys in it that are not deleted. */
  readonly keys: bigint;
}

export interface NewGroup {
  readonly groupId: Uuid;
  readonly accountId: Uuid;
  readonly name: string;
  readonly models: readonly string[] | null;
  /** Of the form that makes it; null: none does. */
  readonly once: Uuid | null;
}

const INSERT_GROUP = statement({
  text: `INSERT INTO keys.groups (group_id, account_id, name, models, once) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (account_id, once) WHERE once IS NOT NULL DO NOTHING RETURNING true AS made`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.text,
    sql.nullable(sql.array(sql.text)),
    sql.nullable(sql.uuid),
  ],
  row: { made: sql.bool },
});

/** False: the account has a group of the same form. */
export async function insertGroupOnce(tx: Queryable, group: NewGroup): Promise<boolean> {
  const { groupId, accountId, name, models, once } = group;
  return (await tx.run(INSERT_GROUP, [groupId, accountId, name, models, once])).length === 1;
}

const COLUMNS = `g.group_id AS "groupId", g.account_id AS "accountId", g.name, g.models, g.created_at AS "createdAt", g.frozen_at AS "frozenAt",
  g.deleted_at AS "deletedAt",
  (SELECT count(*) FROM keys.keys k WHERE k.account_id = g.account_id AND k.group_id = g.group_id AND k.deleted_at IS NULL) AS keys`;

const ROW = {
  groupId: sql.uuid,
  accountId: sql.uuid,
  name: sql.text,
  models: sql.nullable(sql.array(sql.text)),
  createdAt: sql.timestamptz,
  frozenAt: sql.nullable(sql.timestamptz),
  deletedAt: sql.nullable(sql.timestamptz),
  keys: sql.int8,
};

const LIST_GROUPS = statement({
  text: `SELECT ${COLUMNS} FROM keys.groups g WHERE g.account_id = $1 AND g.deleted_at IS NULL ORDER BY lower(g.name), g.group_id`,
  parameters: [sql.uuid],
  row: ROW,
});

/** By name, without deleted ones: an account has no more than can be shown at once. */
export async function listGroups(q: Queryable, accountId: Uuid): Promise<GroupRecord[]> {
  return q.run(LIST_GROUPS, [accountId]);
}

const FIND_GROUP = statement({
  text: `SELECT ${COLUMNS} FROM keys.groups g WHERE g.account_id = $1 AND g.group_id = $2`,
  parameters: [sql.uuid, sql.uuid],
  row: ROW,
});

/** Deleted ones are found too; the record says so. */
export async function findGroup(
  q: Queryable,
  accountId: Uuid,
  groupId: Uuid,
): Promise<GroupRecord | null> {
  const [row] = await q.run(FIND_GROUP, [accountId, groupId]);
  return row ?? null;
}

const LOCK_GROUP = statement({
  text: "SELECT true AS found FROM keys.groups WHERE account_id = $1 AND group_id = $2 FOR UPDATE",
  parameters: [sql.uuid, sql.uuid],
  row: { found: sql.bool },
});

/**
 * Makes others who would change this group, or bring a key into it, wait until the transaction ends;
 * before any key is locked. False: there is no such group.
 */
export async function lockGroup(tx: Queryable, accountId: Uuid, groupId: Uuid): Promise<boolean> {
  return (await tx.run(LOCK_GROUP, [accountId, groupId])).length > 0;
}

export interface StoredGroup {
  readonly accountId: Uuid;
  readonly groupId: Uuid;
}

const CHANGE_GROUP = statement({
  text: "UPDATE keys.groups SET name = $3, models = $4 WHERE account_id = $1 AND group_id = $2",
  parameters: [sql.uuid, sql.uuid, sql.text, sql.nullable(sql.array(sql.text))],
});

/** A group that is locked. Tells every process. */
export async function changeGroup(
  tx: Queryable,
  group: StoredGroup,
  change: { readonly name: string; readonly models: readonly string[] | null },
): Promise<void> {
  await tx.run(CHANGE_GROUP, [group.accountId, group.groupId, change.name, change.models]);
  await tellKeysChanged(tx, group);
}

const SET_GROUP_FROZEN = statement({
  text: "UPDATE keys.groups SET frozen_at = CASE WHEN $3::boolean THEN coalesce(frozen_at, clock_timestamp()) END WHERE account_id = $1 AND group_id = $2",
  parameters: [sql.uuid, sql.uuid, sql.bool],
});

/** A group that is locked; frozen since the first time. Tells every process. */
export async function setGroupFrozen(
  tx: Queryable,
  group: StoredGroup,
  frozen: boolean,
): Promise<void> {
  await tx.run(SET_GROUP_FROZEN, [group.accountId, group.groupId, frozen]);
  await tellKeysChanged(tx, group);
}

const MARK_GROUP_DELETED = statement({
  text: "UPDATE keys.groups SET deleted_at = clock_timestamp() WHERE account_id = $1 AND group_id = $2",
  parameters: [sql.uuid, sql.uuid],
});

// Locked in the order of their ids, as their last uses are noted.
const EMPTY_GROUP = statement({
  text: `
  WITH locked AS (SELECT key_id FROM keys.keys WHERE account_id = $1 AND group_id = $2 ORDER BY key_id FOR NO KEY UPDATE)
  UPDATE keys.keys k SET group_id = NULL FROM locked l WHERE k.account_id = $1 AND k.key_id = l.key_id`,
  parameters: [sql.uuid, sql.uuid],
});

/** A group that is locked: no key is in it any more. Tells every process. */
export async function markGroupDeleted(tx: Queryable, group: StoredGroup): Promise<void> {
  await tellKeysChanged(tx, group);
  await tx.run(MARK_GROUP_DELETED, [group.accountId, group.groupId]);
  await tx.run(EMPTY_GROUP, [group.accountId, group.groupId]);
}

const PLACE_KEY = statement({
  text: "UPDATE keys.keys SET group_id = $3 WHERE account_id = $1 AND key_id = $2",
  parameters: [sql.uuid, sql.uuid, sql.nullable(sql.uuid)],
});

/** A key and a group that are locked; null: into none. Tells every process. */
export async function placeKey(
  tx: Queryable,
  key: { readonly accountId: Uuid; readonly keyId: Uuid; readonly hash: string },
  groupId: Uuid | null,
): Promise<void> {
  await tx.run(PLACE_KEY, [key.accountId, key.keyId, groupId]);
  await tellKeyChanged(tx, key.hash);
}

const TELL_KEYS = statement({
  text: `SELECT pg_notify('${KEYS_CHANNEL}', hash) FROM keys.keys WHERE account_id = $1 AND group_id = $2 AND deleted_at IS NULL`,
  parameters: [sql.uuid, sql.uuid],
  row: { pg_notify: sql.void },
});

/** Every process forgets what it remembers of the keys in it, when the transaction commits. */
async function tellKeysChanged(tx: Queryable, group: StoredGroup): Promise<void> {
  await tx.run(TELL_KEYS, [group.accountId, group.groupId]);
}

const COUNT_GROUPS = statement({
  text: "SELECT count(*) AS groups FROM keys.groups WHERE account_id = $1 AND deleted_at IS NULL",
  parameters: [sql.uuid],
  row: { groups: sql.int8 },
});

export async function countGroups(q: Queryable, accountId: Uuid): Promise<number> {
  const [row] = await q.run(COUNT_GROUPS, [accountId]);
  return Number(row?.groups ?? 0n);
}

const FIND_GROUP_NAMES = statement({
  text: `SELECT group_id AS "groupId", name FROM keys.groups WHERE group_id = ANY ($1::uuid[])`,
  parameters: [sql.array(sql.uuid)],
  row: { groupId: sql.uuid, name: sql.text },
});

/** Deleted ones too; unknown ids are missing. */
export async function findGroupNames(
  q: Queryable,
  groupIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, string>> {
  const wanted = [...new Set(groupIds)];
  if (wanted.length === 0) return new Map();
  const rows = await q.run(FIND_GROUP_NAMES, [uuidArray(wanted, (groupId) => groupId)]);
  return new Map(rows.map(({ groupId, name }) => [groupId, name]));
}
