/** Which accounts are blocked and why, and what the keys of an account may do. */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { RateLimits } from "../kernel/rate-limits.ts";
import { ACCOUNTS_CHANNEL } from "./store.ts";

export interface Block {
  readonly at: Date;
  /** The account's members are shown it. */
  readonly reason: string;
}

const BLOCK_ACCOUNT = statement({
  text: "UPDATE accounts.accounts SET blocked_at = clock_timestamp(), block_reason = $2 WHERE account_id = $1 AND blocked_at IS NULL RETURNING true AS done",
  parameters: [sql.uuid, sql.text],
  row: { done: sql.bool },
});

/**
 * Blocks it when the transaction commits, and tells every process. False: it is blocked already, or
 * there is no such account.
 */
export async function blockAccount(
  tx: Queryable,
  accountId: Uuid,
  reason: string,
): Promise<boolean> {
  return tellWhereDone(tx, accountId, await tx.run(BLOCK_ACCOUNT, [accountId, reason]));
}

const UNBLOCK_ACCOUNT = statement({
  text: "UPDATE accounts.accounts SET blocked_at = NULL, block_reason = NULL WHERE account_id = $1 AND blocked_at IS NOT NULL RETURNING true AS done",
  parameters: [sql.uuid],
  row: { done: sql.bool },
});

/** False: it is not blocked. */
export async function unblockAccount(tx: Queryable, accountId: Uuid): Promise<boolean> {
  return tellWhereDone(tx, accountId, await tx.run(UNBLOCK_ACCOUNT, [accountId]));
}

const TELL = statement({
  text: "SELECT pg_notify($1, $2)",
  parameters: [sql.text, sql.text],
  row: { pg_notify: sql.void },
});

async function tellWhereDone(
  tx: Queryable,
  accountId: Uuid,
  changed: readonly unknown[],
): Promise<boolean> {
  if (changed.length > 0) await tx.run(TELL, [ACCOUNTS_CHANNEL, accountId]);
  return changed.length > 0;
}

const FIND_BLOCKS = statement({
  text: `SELECT account_id AS "accountId", blocked_at AS at, block_reason AS reason FROM accounts.accounts
     WHERE account_id = ANY ($1::uuid[]) AND blocked_at IS NOT NULL`,
  parameters: [sql.array(sql.uuid)],
  row: { accountId: sql.uuid, at: sql.present(sql.timestamptz), reason: sql.present(sql.text) },
});

/** Of these accounts, those that are blocked. */
export async function findBlocks(
  q: Queryable,
  accountIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, Block>> {
  const rows = await q.run(FIND_BLOCKS, [accountIds]);
  return new Map(rows.map(({ accountId, at, reason }) => [accountId, { at, reason }]));
}

export interface AccountAccess {
  readonly limits: RateLimits;
  readonly blocked: boolean;
}

const FIND_ACCOUNT_ACCESS = statement({
  text: `SELECT account_id AS "accountId", requests_per_minute AS "requestsPerMinute", tokens_per_minute AS "tokensPerMinute",
       max_concurrent AS "maxConcurrent", max_tasks AS "maxTasks",
       blocked_at IS NOT NULL AS blocked FROM accounts.accounts WHERE account_id = ANY ($1::uuid[])`,
  parameters: [sql.array(sql.uuid)],
  row: {
    accountId: sql.uuid,
    requestsPerMinute: sql.nullable(sql.int4),
    tokensPerMinute: sql.nullable(sql.int4),
    maxConcurrent: sql.nullable(sql.int4),
    maxTasks: sql.nullable(sql.int4),
    blocked: sql.bool,
  },
});

/** What callers with keys of these accounts may; of those accounts that there are. */
export async function findAccountAccess(
  q: Queryable,
  accountIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, AccountAccess>> {
  const rows = await q.run(FIND_ACCOUNT_ACCESS, [accountIds]);
  return new Map(
    rows.map(({ accountId, blocked, ...limits }) => [accountId, { limits, blocked }] as const),
  );
}

const COUNT_ACCOUNTS = statement({
  text: "SELECT count(*) AS total, count(blocked_at) AS blocked FROM accounts.accounts",
  row: { total: sql.int8, blocked: sql.int8 },
});

export async function countAccounts(
  q: Queryable,
): Promise<{ readonly total: number; readonly blocked: number }> {
  const [row] = await q.run(COUNT_ACCOUNTS, []);
  return { total: Number(row?.total ?? 0n), blocked: Number(row?.blocked ?? 0n) };
}
