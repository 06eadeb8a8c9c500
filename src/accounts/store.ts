/** The stored accounts and members (schema `accounts`). */
import type { Queryable } from "../db/database.ts";
import type { Uuid } from "../kernel/ids.ts";

export interface Account {
  readonly accountId: Uuid;
  readonly name: string;
  readonly createdAt: Date;
}

export interface Member {
  readonly memberId: Uuid;
  readonly accountId: Uuid;
  readonly email: string;
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
}

const ACCOUNT_COLUMNS = `account_id AS "accountId", name, created_at AS "createdAt"`;
const MEMBER_COLUMNS = `member_id AS "memberId", account_id AS "accountId", email, must_change_password AS "mustChangePassword", operator, created_at AS "createdAt"`;

export async function insertAccount(tx: Queryable, account: { accountId: Uuid; name: string }): Promise<void> {
  await tx.query("INSERT INTO accounts.accounts (account_id, name) VALUES ($1, $2)", [account.accountId, account.name]);
}

export async function findAccount(q: Queryable, accountId: Uuid): Promise<Account | null> {
  const rows = await q.query<Account>(`SELECT ${ACCOUNT_COLUMNS} FROM accounts.accounts WHERE account_id = $1`, [accountId]);
  return rows[0] ?? null;
}

/** Newest first; `before` is the id of the last one of the page before. */
export async function listAccounts(q: Queryable, page: { before: Uuid | null; limit: number }): Promise<Account[]> {
  return q.query<Account>(
    `SELECT ${ACCOUNT_COLUMNS} FROM accounts.accounts WHERE $1::uuid IS NULL OR account_id < $1 ORDER BY account_id DESC LIMIT $2`,
    [page.before, page.limit],
  );
}

/** False when somebody has this e-mail already. */
export async function insertMember(tx: Queryable, member: NewMember): Promise<boolean> {
  const rows = await tx.query(
    `INSERT INTO accounts.members (member_id, account_id, email, password_hash, must_change_password, operator)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (email) DO NOTHING RETURNING member_id`,
    [member.memberId, member.accountId, member.email, member.passwordHash, member.mustChangePassword, member.operator],
  );
  return rows.length > 0;
}

/** The members of these accounts, in the order in which they joined. */
export async function membersOf(q: Queryable, accountIds: readonly Uuid[]): Promise<Member[]> {
  return q.query<Member>(`SELECT ${MEMBER_COLUMNS} FROM accounts.members WHERE account_id = ANY($1) ORDER BY member_id`, [accountIds]);
}
