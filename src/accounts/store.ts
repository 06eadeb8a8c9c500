/** The stored accounts and members (schema `accounts`). */
import type { Language } from "../contract/enums/language.ts";
import { MEMBER_ROLES, type MemberRole } from "../contract/enums/member-role.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { RateLimits } from "../kernel/rate-limits.ts";

/** Its limits hold for all its keys together. */
export interface Account extends RateLimits {
  readonly accountId: Uuid;
  readonly name: string;
  readonly createdAt: Date;
}

export interface Member {
  readonly memberId: Uuid;
  readonly accountId: Uuid;
  readonly email: string;
  readonly role: MemberRole;
  readonly mustChangePassword: boolean;
  readonly operator: boolean;
  readonly createdAt: Date;
}

export interface NewMember {
  readonly memberId: Uuid;
  readonly accountId: Uuid;
  /** Lower case. */
  readonly email: string;
  readonly passwordHash: string;
  readonly mustChangePassword: boolean;
  readonly operator: boolean;
  readonly role: MemberRole;
  readonly language: Language;
  /**
   * It is known already that the e-mail is the member's; otherwise no log-in before that is
   * confirmed.
   */
  readonly verified: boolean;
}

/** Heard by every process; the payload is the id of an account whose limits were changed. */
export const ACCOUNTS_CHANNEL = "tollgate_accounts";

const LIMIT_COLUMNS = `requests_per_minute AS "requestsPerMinute", tokens_per_minute AS "tokensPerMinute", max_concurrent AS "maxConcurrent",
  max_tasks AS "maxTasks"`;
const ACCOUNT_COLUMNS = `account_id AS "accountId", name, created_at AS "createdAt", ${LIMIT_COLUMNS}`;
const MEMBER_COLUMNS = `member_id AS "memberId", account_id AS "accountId", email, role, must_change_password AS "mustChangePassword", operator, created_at AS "createdAt"`;

const INSERT_ACCOUNT = statement({
  text: "INSERT INTO accounts.accounts (account_id, name) VALUES ($1, $2)",
  parameters: [sql.uuid, sql.text],
});

export async function insertAccount(
  tx: Queryable,
  account: { accountId: Uuid; name: string },
): Promise<void> {
  await tx.run(INSERT_ACCOUNT, [account.accountId, account.name]);
}

const ACCOUNT = {
  accountId: sql.uuid,
  name: sql.text,
  createdAt: sql.timestamptz,
  requestsPerMinute: sql.nullable(sql.int4),
  tokensPerMinute: sql.nullable(sql.int4),
  maxConcurrent: sql.nullable(sql.int4),
  maxTasks: sql.nullable(sql.int4),
};

const FIND_ACCOUNT = statement({
  text: `SELECT ${ACCOUNT_COLUMNS} FROM accounts.accounts WHERE account_id = $1`,
  parameters: [sql.uuid],
  row: ACCOUNT,
});

export async function findAccount(q: Queryable, accountId: Uuid): Promise<Account | null> {
  const rows = await q.run(FIND_ACCOUNT, [accountId]);
  return rows[0] ?? null;
}

const LIST_ACCOUNTS = statement({
  text: `SELECT ${ACCOUNT_COLUMNS} FROM accounts.accounts WHERE $1::uuid IS NULL OR account_id < $1 ORDER BY account_id DESC LIMIT $2`,
  parameters: [sql.nullable(sql.uuid), sql.whole],
  row: ACCOUNT,
});

/** Newest first; `before` is the id of the last one of the page before. */
export async function listAccounts(
  q: Queryable,
  page: { before: Uuid | null; limit: number },
): Promise<Account[]> {
  return q.run(LIST_ACCOUNTS, [page.before, page.limit]);
}

const OLDEST_ACCOUNT = statement({
  text: `SELECT ${ACCOUNT_COLUMNS} FROM accounts.accounts ORDER BY account_id LIMIT 1`,
  row: ACCOUNT,
});

/** The one that was made first; null while there is none. */
export async function oldestAccount(q: Queryable): Promise<Account | null> {
  const rows = await q.run(OLDEST_ACCOUNT, []);
  return rows[0] ?? null;
}

const LIMITS = {
  requestsPerMinute: sql.nullable(sql.int4),
  tokensPerMinute: sql.nullable(sql.int4),
  maxConcurrent: sql.nullable(sql.int4),
  maxTasks: sql.nullable(sql.int4),
};

const FIND_ACCOUNT_LIMITS = statement({
  text: `SELECT ${LIMIT_COLUMNS} FROM accounts.accounts WHERE account_id = $1`,
  parameters: [sql.uuid],
  row: LIMITS,
});

/** What an account may ask for; null when there is no such account. */
export async function findAccountLimits(q: Queryable, accountId: Uuid): Promise<RateLimits | null> {
  const rows = await q.run(FIND_ACCOUNT_LIMITS, [accountId]);
  return rows[0] ?? null;
}

const LOCK_ACCOUNT_LIMITS = statement({
  text: `SELECT ${LIMIT_COLUMNS} FROM accounts.accounts WHERE account_id = $1 FOR NO KEY UPDATE`,
  parameters: [sql.uuid],
  row: LIMITS,
});

/** The same, which no other transaction changes until this one ends. */
export async function lockAccountLimits(
  tx: Queryable,
  accountId: Uuid,
): Promise<RateLimits | null> {
  const [row] = await tx.run(LOCK_ACCOUNT_LIMITS, [accountId]);
  return row ?? null;
}

const TELL = statement({
  text: "SELECT pg_notify($1, $2)",
  parameters: [sql.text, sql.text],
  row: { pg_notify: sql.void },
});

const CHANGE_ACCOUNT_LIMITS = statement({
  text: `UPDATE accounts.accounts SET
       requests_per_minute = CASE WHEN $2 THEN $3 ELSE requests_per_minute END,
       tokens_per_minute = CASE WHEN $4 THEN $5 ELSE tokens_per_minute END,
       max_concurrent = CASE WHEN $6 THEN $7 ELSE max_concurrent END,
       max_tasks = CASE WHEN $8 THEN $9 ELSE max_tasks END
     WHERE account_id = $1 RETURNING ${LIMIT_COLUMNS}`,
  parameters: [
    sql.uuid,
    sql.bool,
    sql.nullable(sql.int4),
    sql.bool,
    sql.nullable(sql.int4),
    sql.bool,
    sql.nullable(sql.int4),
    sql.bool,
    sql.nullable(sql.int4),
  ],
  row: LIMITS,
});

/**
 * Changes those limits that are given when the transaction commits, and tells every process.
 * Returns the limits in force; null when there is no such account.
 */
export async function changeAccountLimits(
  tx: Queryable,
  accountId: Uuid,
  changes: Partial<RateLimits>,
): Promise<RateLimits | null> {
  const { requestsPerMinute, tokensPerMinute, maxConcurrent, maxTasks } = changes;
  const rows = await tx.run(CHANGE_ACCOUNT_LIMITS, [
    accountId,
    requestsPerMinute !== undefined,
    requestsPerMinute ?? null,
    tokensPerMinute !== undefined,
    tokensPerMinute ?? null,
    maxConcurrent !== undefined,
    maxConcurrent ?? null,
    maxTasks !== undefined,
    maxTasks ?? null,
  ]);
  if (rows.length > 0) await tx.run(TELL, [ACCOUNTS_CHANNEL, accountId]);
  return rows[0] ?? null;
}

const INSERT_MEMBER = statement({
  text: `INSERT INTO accounts.members (member_id, account_id, email, password_hash, must_change_password, operator, role, language, verified_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, CASE WHEN $9 THEN clock_timestamp() END) ON CONFLICT (email) DO NOTHING RETURNING member_id`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.text,
    sql.text,
    sql.bool,
    sql.bool,
    sql.text,
    sql.text,
    sql.bool,
  ],
  row: { member_id: sql.uuid },
});

/** False when another member has this e-mail already. */
export async function insertMember(tx: Queryable, member: NewMember): Promise<boolean> {
  const rows = await tx.run(INSERT_MEMBER, [
    member.memberId,
    member.accountId,
    member.email,
    member.passwordHash,
    member.mustChangePassword,
    member.operator,
    member.role,
    member.language,
    member.verified,
  ]);
  return rows.length > 0;
}

const MEMBERS_OF = statement({
  text: `SELECT ${MEMBER_COLUMNS} FROM accounts.members WHERE account_id = ANY($1) ORDER BY member_id`,
  parameters: [sql.array(sql.uuid)],
  row: {
    memberId: sql.uuid,
    accountId: sql.uuid,
    email: sql.text,
    role: sql.oneOf(MEMBER_ROLES),
    mustChangePassword: sql.bool,
    operator: sql.bool,
    createdAt: sql.timestamptz,
  },
});

/** The members of these accounts, in the order in which they joined. */
export async function membersOf(q: Queryable, accountIds: readonly Uuid[]): Promise<Member[]> {
  return q.run(MEMBERS_OF, [accountIds]);
}
