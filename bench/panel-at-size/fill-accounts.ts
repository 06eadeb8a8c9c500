/**
 * Fills a database with accounts as they are after some months: each with its owner and a key, and
 * one with a thousand keys, groups of them and members. By SQL, and before any request.
 */
import { randomBytes, randomFillSync } from "node:crypto";
import type { ClientBase } from "pg";
import { createUuidSource } from "../../src/kernel/ids.ts";

export interface FilledKeys {
  readonly accountIds: readonly string[];
  /** One of each account, in the same order. */
  readonly keyIds: readonly string[];
}

export interface BigAccount {
  readonly accountId: string;
  readonly keyIds: readonly string[];
  readonly groupIds: readonly string[];
}

const GROUPS = 20;
const MEMBERS = 40;
const ROLES = ["developer", "viewer", "manager", "developer"];

/** Opened in turn, from a moment on, so many milliseconds apart. */
export async function fillAccounts(
  client: ClientBase,
  count: number,
  fromMs: number,
  apartMs: number,
): Promise<FilledKeys> {
  const accountIds = oldIds(count, fromMs, apartMs);
  const keyIds = oldIds(count, fromMs, apartMs);
  await client.query(ACCOUNTS, [accountIds]);
  await client.query(MEMBERS_IN, [
    oldIds(count, fromMs, apartMs),
    accountIds,
    accountIds.map((_, nth) => `owner-${nth + 1}@company.example`),
    accountIds.map(() => "owner"),
  ]);
  await insertKeys(
    client,
    accountIds.map((accountId, nth) => ({
      accountId,
      keyId: keyIds[nth] ?? "",
      name: `Ключ № ${nth + 1}`,
      groupId: null,
      ownerId: null,
    })),
    (nth) => nth.toString(36).padStart(4, "0"),
  );
  return { accountIds, keyIds };
}

/** Makes keys, groups and members of an account that is there already and has none. */
export async function fillBigAccount(
  client: ClientBase,
  accountId: string,
  keys: number,
  fromMs: number,
): Promise<BigAccount> {
  const groupIds = oldIds(GROUPS, fromMs, 1000);
  const memberIds = oldIds(MEMBERS, fromMs, 1000);
  const keyIds = oldIds(keys, fromMs, 1000);
  await client.query(OPENED, [accountId, new Date(fromMs).toISOString()]);
  await client.query(GROUPS_IN, [
    accountId,
    groupIds,
    groupIds.map((_, nth) => `Отдел № ${nth + 1}`),
  ]);
  await client.query(MEMBERS_IN, [
    memberIds,
    memberIds.map(() => accountId),
    memberIds.map((_, nth) => `member-${nth + 1}@big.example`),
    memberIds.map((_, nth) => ROLES[nth % ROLES.length]),
  ]);
  await insertKeys(
    client,
    keyIds.map((keyId, nth) => ({
      accountId,
      keyId,
      name: `Сервис № ${nth + 1}`,
      groupId: isGrouped(nth) ? (groupIds[nth % GROUPS] ?? null) : null,
      ownerId: nth % 3 === 0 ? (memberIds[nth % MEMBERS] ?? null) : null,
    })),
    (nth) => `${nth.toString(36).padStart(3, "0")}B`,
  );
  return { accountId, keyIds, groupIds };
}

/** Whether the key with this number, from 0 on, is in a group: as `fill-requests.ts` charges it. */
const isGrouped = (nth: number): boolean => nth % 5 !== 0;

interface WantedKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly name: string;
  readonly groupId: string | null;
  readonly ownerId: string | null;
}

/** No caller has their secrets. `beginning`: of the mask of each. */
async function insertKeys(
  client: ClientBase,
  keys: readonly WantedKey[],
  beginning: (nth: number) => string,
): Promise<void> {
  const hashes = keys.map(() => randomBytes(32).toString("hex"));
  await client.query(KEYS, [
    keys.map(({ accountId }) => accountId),
    keys.map(({ keyId }) => keyId),
    hashes,
    hashes.map((hash, nth) => `tg_live_${beginning(nth)}…${hash.slice(-4)}`),
    keys.map(({ name }) => name),
    keys.map(({ groupId }) => groupId),
    keys.map(({ ownerId }) => ownerId),
  ]);
}

/** Ids as they would have been made then, in order. */
function oldIds(count: number, fromMs: number, apartMs: number): string[] {
  let at = Math.round(fromMs);
  const next = createUuidSource(() => at, randomFillSync);
  return Array.from({ length: count }, (_, nth) => {
    at = Math.round(fromMs + nth * apartMs);
    return next();
  });
}

const ACCOUNTS = `
  WITH made AS (
    INSERT INTO accounts.accounts (account_id, name, created_at)
    SELECT account_id, 'Компания № ' || n, ledger.time_of(account_id) FROM unnest($1::uuid[]) WITH ORDINALITY AS u (account_id, n)
    RETURNING account_id, created_at)
  INSERT INTO ledger.accounts (account_id, opened_at) SELECT account_id, created_at FROM made`;

const OPENED = `
  WITH books AS (UPDATE ledger.accounts SET opened_at = $2::timestamptz WHERE account_id = $1::uuid)
  UPDATE accounts.accounts SET created_at = $2::timestamptz WHERE account_id = $1::uuid`;

/** None of them can log in: no password has this hash. */
const MEMBERS_IN = `
  INSERT INTO accounts.members (member_id, account_id, email, password_hash, must_change_password, operator, created_at, role, language, verified_at)
  SELECT member_id, account_id, email, '$argon2id$none', false, false, ledger.time_of(member_id), role, 'ru', ledger.time_of(member_id)
  FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) AS u (member_id, account_id, email, role)`;

const GROUPS_IN = `
  WITH made AS (
    INSERT INTO keys.groups (account_id, group_id, name, created_at)
    SELECT $1::uuid, group_id, name, ledger.time_of(group_id) FROM unnest($2::uuid[], $3::text[]) AS u (group_id, name)
    RETURNING account_id, group_id, created_at)
  INSERT INTO ledger.budgets (account_id, budget_id, period, period_start, limit_nano, opened_at)
  SELECT account_id, group_id, 'total'::ledger.period, '-infinity'::timestamptz, 1000000000000000000, created_at FROM made`;

const KEYS = `
  WITH made AS (
    INSERT INTO keys.keys (account_id, key_id, hash, mask, name, created_at, last_used_at, group_id, owner_id)
    SELECT account_id, key_id, hash, mask, name, ledger.time_of(key_id), clock_timestamp() - random() * interval '20 days', group_id, owner_id
    FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::uuid[])
      AS u (account_id, key_id, hash, mask, name, group_id, owner_id)
    RETURNING account_id, key_id, hash, group_id, created_at),
  known AS (INSERT INTO directory.keys (hash, account_id, key_id) SELECT hash, account_id, key_id FROM made)
  INSERT INTO ledger.budgets (account_id, budget_id, period, period_start, limit_nano, opened_at, group_id)
  SELECT account_id, key_id, 'total'::ledger.period, '-infinity'::timestamptz, CASE WHEN right(hash, 1) < '8' THEN 1000000000000000000 END, created_at,
    group_id
  FROM made`;
