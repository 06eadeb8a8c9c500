/**
 * Members as people who log in and work together (schema `accounts`): found by e-mail or id, their
 * passwords, roles and profiles.
 */
import type { Language } from "../contract/enums/language.ts";
import type { MemberRole } from "../contract/enums/member-role.ts";
import type { Queryable } from "../db/database.ts";
import type { Uuid } from "../kernel/ids.ts";

type Statements = Queryable;

export interface MemberProfile {
  readonly memberId: Uuid;
  readonly accountId: Uuid;
  readonly accountName: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: MemberRole;
  readonly operator: boolean;
  readonly language: Language;
  readonly timezone: string;
  /** A code of the second factor is asked at each log-in. */
  readonly totp: boolean;
  /** The e-mail was confirmed. */
  readonly verified: boolean;
  readonly mustChangePassword: boolean;
  readonly createdAt: Date;
}

const PROFILE = `
  SELECT m.member_id AS "memberId", m.account_id AS "accountId", a.name AS "accountName", m.email, m.name, m.role, m.operator, m.language,
    m.timezone, m.verified_at IS NOT NULL AS verified, m.must_change_password AS "mustChangePassword", m.created_at AS "createdAt",
    EXISTS (SELECT FROM accounts.totp t WHERE t.member_id = m.member_id AND t.confirmed_at IS NOT NULL) AS totp
  FROM accounts.members m JOIN accounts.accounts a USING (account_id)`;

export async function findMember(q: Statements, memberId: Uuid): Promise<MemberProfile | null> {
  const [row] = await q.query<MemberProfile>(`${PROFILE} WHERE m.member_id = $1`, [memberId]);
  return row ?? null;
}

/** @param email in lower case. */
export async function findMemberByEmail(
  q: Statements,
  email: string,
): Promise<MemberProfile | null> {
  const [row] = await q.query<MemberProfile>(`${PROFILE} WHERE m.email = $1`, [email]);
  return row ?? null;
}

export interface Colleague extends MemberProfile {
  /** Of its sessions that are open; null: none is. */
  readonly seenAt: Date | null;
}

/** In the order in which they joined. */
export async function colleagues(q: Statements, accountId: Uuid): Promise<Colleague[]> {
  return q.query(
    `SELECT p.*, (SELECT max(s.seen_at) FROM accounts.sessions s WHERE s.member_id = p."memberId" AND s.expires_at > clock_timestamp()) AS "seenAt"
     FROM (${PROFILE} WHERE m.account_id = $1) p ORDER BY p."memberId"`,
    [accountId],
  );
}

/**
 * What opens the log-in of this e-mail; the hash comes without the member, and goes nowhere but to
 * the comparison.
 */
export async function findPasswordHash(
  q: Statements,
  email: string,
): Promise<{ memberId: Uuid; passwordHash: string } | null> {
  const [row] = await q.query<{ memberId: Uuid; passwordHash: string }>(
    `SELECT member_id AS "memberId", password_hash AS "passwordHash" FROM accounts.members WHERE email = $1`,
    [email],
  );
  return row ?? null;
}

/**
 * Holds the member as it is until the transaction ends. False: it is gone, or its password is
 * another one since.
 */
export async function holdMember(
  tx: Statements,
  memberId: Uuid,
  passwordHash: string,
): Promise<boolean> {
  const rows = await tx.query(
    "SELECT true FROM accounts.members WHERE member_id = $1 AND password_hash = $2 FOR SHARE",
    [memberId, passwordHash],
  );
  return rows.length === 1;
}

/**
 * A password of the member's own. `was`: only where this is still the hash; null: whatever it is.
 * False: nothing was changed.
 */
export async function changePassword(
  tx: Statements,
  change: { readonly memberId: Uuid; readonly was: string | null; readonly passwordHash: string },
): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE accounts.members SET password_hash = $2, must_change_password = false
     WHERE member_id = $1 AND ($3::text IS NULL OR password_hash = $3) RETURNING true`,
    [change.memberId, change.passwordHash, change.was],
  );
  return rows.length === 1;
}

/** The e-mail is the member's: a link that was sent there came back. */
export async function markVerified(tx: Statements, memberId: Uuid): Promise<void> {
  await tx.query(
    "UPDATE accounts.members SET verified_at = coalesce(verified_at, clock_timestamp()) WHERE member_id = $1",
    [memberId],
  );
}

export interface SignUpAgain {
  /** Lower case. */
  readonly email: string;
  readonly passwordHash: string;
  readonly accountName: string;
  readonly language: Language;
}

/** A sign-up that was never confirmed becomes this one. Null: there is none of this e-mail. */
export async function replaceSignUp(tx: Statements, again: SignUpAgain): Promise<Uuid | null> {
  const [row] = await tx.query<{ memberId: Uuid }>(
    `WITH replaced AS (
       UPDATE accounts.members SET password_hash = $2, language = $4, must_change_password = false
       WHERE email = $1 AND verified_at IS NULL RETURNING member_id, account_id),
     renamed AS (UPDATE accounts.accounts SET name = $3 WHERE account_id IN (SELECT account_id FROM replaced))
     SELECT member_id AS "memberId" FROM replaced`,
    [again.email, again.passwordHash, again.accountName, again.language],
  );
  return row?.memberId ?? null;
}

/** A sign-up that was never confirmed stands in no other one's way. */
export async function deleteSignUp(tx: Statements, email: string): Promise<void> {
  await tx.query("DELETE FROM accounts.members WHERE email = $1 AND verified_at IS NULL", [email]);
}

/** What is given changes. */
export async function changeProfile(
  q: Statements,
  memberId: Uuid,
  changes: { readonly name?: string; readonly language?: Language; readonly timezone?: string },
): Promise<void> {
  await q.query(
    `UPDATE accounts.members SET name = coalesce($2, name), language = coalesce($3, language), timezone = coalesce($4, timezone)
     WHERE member_id = $1`,
    [memberId, changes.name ?? null, changes.language ?? null, changes.timezone ?? null],
  );
}

/**
 * The roles of an account's members who have confirmed their e-mail, held as they are until the
 * transaction ends.
 */
export async function holdRoles(tx: Statements, accountId: Uuid): Promise<Map<Uuid, MemberRole>> {
  const rows = await tx.query<{ memberId: Uuid; role: MemberRole }>(
    `SELECT member_id AS "memberId", role FROM accounts.members WHERE account_id = $1 AND verified_at IS NOT NULL ORDER BY member_id FOR UPDATE`,
    [accountId],
  );
  return new Map(rows.map(({ memberId, role }) => [memberId, role]));
}

export async function changeRole(tx: Statements, memberId: Uuid, role: MemberRole): Promise<void> {
  await tx.query("UPDATE accounts.members SET role = $2 WHERE member_id = $1", [memberId, role]);
}

/** With its sessions, tokens, second factor and whatever else is its own. */
export async function deleteMember(tx: Statements, memberId: Uuid): Promise<void> {
  await tx.query("DELETE FROM accounts.members WHERE member_id = $1", [memberId]);
}
