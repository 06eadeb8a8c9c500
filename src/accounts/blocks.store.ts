/** Which accounts are blocked and why, and what the keys of an account may do. */
import type { Queryable } from "../db/database.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { RateLimits } from "../kernel/rate-limits.ts";
import { ACCOUNTS_CHANNEL } from "./store.ts";

export interface Block {
  readonly at: Date;
  /** The account's members are shown it. */
  readonly reason: string;
}

/**
 * Blocks it when the transaction commits, and tells every process. False: it is blocked already, or
 * there is no such account.
 */
export async function blockAccount(
  tx: Queryable,
  accountId: Uuid,
  reason: string,
): Promise<boolean> {
  return change(
    tx,
    accountId,
    "UPDATE accounts.accounts SET blocked_at = clock_timestamp(), block_reason = $2 WHERE account_id = $1 AND blocked_at IS NULL RETURNING true",
    [reason],
  );
}

/** False: it is not blocked. */
export async function unblockAccount(tx: Queryable, accountId: Uuid): Promise<boolean> {
  return change(
    tx,
    accountId,
    "UPDATE accounts.accounts SET blocked_at = NULL, block_reason = NULL WHERE account_id = $1 AND blocked_at IS NOT NULL RETURNING true",
    [],
  );
}

async function change(
  tx: Queryable,
  accountId: Uuid,
  sql: string,
  rest: readonly string[],
): Promise<boolean> {
  const changed = await tx.query(sql, [accountId, ...rest]);
  if (changed.length > 0) await tx.query("SELECT pg_notify($1, $2)", [ACCOUNTS_CHANNEL, accountId]);
  return changed.length > 0;
}

/** Of these accounts, those that are blocked. */
export async function findBlocks(
  q: Queryable,
  accountIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, Block>> {
  const rows = await q.query<Block & { accountId: Uuid }>(
    `SELECT account_id AS "accountId", blocked_at AS at, block_reason AS reason FROM accounts.accounts
     WHERE account_id = ANY ($1::uuid[]) AND blocked_at IS NOT NULL`,
    [accountIds],
  );
  return new Map(rows.map(({ accountId, at, reason }) => [accountId, { at, reason }]));
}

export interface AccountAccess {
  readonly limits: RateLimits;
  readonly blocked: boolean;
}

/** For a caller with a key of it; null when there is no such account. */
export async function findAccountAccess(
  q: Queryable,
  accountId: Uuid,
): Promise<AccountAccess | null> {
  const [row] = await q.query<RateLimits & { blocked: boolean }>(
    `SELECT requests_per_minute AS "requestsPerMinute", tokens_per_minute AS "tokensPerMinute", max_concurrent AS "maxConcurrent",
       max_tasks AS "maxTasks",
       blocked_at IS NOT NULL AS blocked FROM accounts.accounts WHERE account_id = $1`,
    [accountId],
  );
  if (row === undefined) return null;
  const { blocked, ...limits } = row;
  return { limits, blocked };
}

export async function countAccounts(
  q: Queryable,
): Promise<{ readonly total: number; readonly blocked: number }> {
  const [row] = await q.query<{ total: bigint; blocked: bigint }>(
    "SELECT count(*) AS total, count(blocked_at) AS blocked FROM accounts.accounts",
  );
  return { total: Number(row?.total ?? 0n), blocked: Number(row?.blocked ?? 0n) };
}
