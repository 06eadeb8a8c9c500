/**
 * Members as people who log in and work together (schema `accounts`): found by e-mail or id, their
 * passwords, roles and profiles.
 */
import { LANGUAGES, type Language } from "../contract/enums/language.ts";
import { MEMBER_ROLES, type MemberRole } from "../contract/enums/member-role.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";

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
  /** How many it has; each opens the panel without password and code. */
  readonly passkeys: number;
  /** Its account wants a second factor of every member. */
  readonly totpRequired: boolean;
  /** The e-mail was confirmed. */
  readonly verified: boolean;
  readonly mustChangePassword: boolean;
  readonly createdAt: Date;
}

const SELECT_PROFILE = `
  SELECT m.member_id AS "memberId", m.account_id AS "accountId", a.name AS "accountName", m.email, m.name, m.role, m.operator, m.language,
    m.timezone, a.totp_required AS "totpRequired", m.verified_at IS NOT NULL AS verified, m.must_change_password AS "mustChangePassword", m.created_at AS "createdAt",
    (SELECT count(*)::int4 FROM accounts.passkeys p WHERE p.member_id = m.member_id) AS passkeys,
    EXISTS (SELECT FROM accounts.totp t WHERE t.member_id = m.member_id AND t.confirmed_at IS NOT NULL) AS totp
  FROM accounts.members m JOIN accounts.accounts a USING (account_id)`;

const PROFILE_ROW = {
  memberId: sql.uuid,
  accountId: sql.uuid,
  accountName: sql.text,
  email: sql.text,
  name: sql.nullable(sql.text),
  role: sql.oneOf(MEMBER_ROLES),
  operator: sql.bool,
  language: sql.oneOf(LANGUAGES),
  timezone: sql.text,
  totpRequired: sql.bool,
  verified: sql.bool,
  mustChangePassword: sql.bool,
  createdAt: sql.timestamptz,
  totp: sql.bool,
  passkeys: sql.int4,
};

const FIND_MEMBER = statement({
  text: `${SELECT_PROFILE} WHERE m.member_id = $1`,
  parameters: [sql.uuid],
  row: PROFILE_ROW,
});

export async function findMember(q: Queryable, memberId: Uuid): Promise<MemberProfile | null> {
  const [row] = await q.run(FIND_MEMBER, [memberId]);
  return row ?? null;
}

const FIND_MEMBER_BY_EMAIL = statement({
  text: `${SELECT_PROFILE} WHERE m.email = $1`,
  parameters: [sql.text],
  row: PROFILE_ROW,
});

/** @param email in lower case. */
export async function findMemberByEmail(
  q: Queryable,
  email: string,
): Promise<MemberProfile | null> {
  const [row] = await q.run(FIND_MEMBER_BY_EMAIL, [email]);
  return row ?? null;
}

const OPERATORS = statement({
  text: `${SELECT_PROFILE} WHERE m.operator AND m.verified_at IS NOT NULL ORDER BY m.member_id LIMIT 100`,
  row: PROFILE_ROW,
});

/** Of the whole installation, whichever account they belong to. */
export async function listOperators(q: Queryable): Promise<MemberProfile[]> {
  return q.run(OPERATORS, []);
}

export interface Colleague extends MemberProfile {
  /** Of its sessions that are open; null: none is. */
  readonly seenAt: Date | null;
}

const COLLEAGUES = statement({
  text: `SELECT p.*, (SELECT max(s.seen_at) FROM accounts.sessions s WHERE s.member_id = p."memberId" AND s.expires_at > clock_timestamp()) AS "seenAt"
     FROM (${SELECT_PROFILE} WHERE m.account_id = $1) p ORDER BY p."memberId"`,
  parameters: [sql.uuid],
  row: { ...PROFILE_ROW, seenAt: sql.nullable(sql.timestamptz) },
});

/** In the order in which they joined. */
export async function colleagues(q: Queryable, accountId: Uuid): Promise<Colleague[]> {
  return q.run(COLLEAGUES, [accountId]);
}

const MEMBER_NAMES = statement({
  text: `SELECT member_id AS "memberId", name, email FROM accounts.members WHERE account_id = $1 AND member_id = ANY ($2::uuid[])`,
  parameters: [sql.uuid, sql.array(sql.uuid)],
  row: { memberId: sql.uuid, name: sql.nullable(sql.text), email: sql.text },
});

/** Those of the account. */
export async function memberNames(
  q: Queryable,
  accountId: Uuid,
  memberIds: readonly Uuid[],
): Promise<{ memberId: Uuid; name: string | null; email: string }[]> {
  return q.run(MEMBER_NAMES, [accountId, memberIds]);
}

const HOLD_COLLEAGUE = statement({
  text: "SELECT true AS found FROM accounts.members WHERE account_id = $1 AND member_id = $2 AND verified_at IS NOT NULL FOR SHARE",
  parameters: [sql.uuid, sql.uuid],
  row: { found: sql.bool },
});

/**
 * Holds a member of the account, who has confirmed its e-mail, until the transaction ends. False:
 * there is none.
 */
export async function holdColleague(
  tx: Queryable,
  accountId: Uuid,
  memberId: Uuid,
): Promise<boolean> {
  return (await tx.run(HOLD_COLLEAGUE, [accountId, memberId])).length === 1;
}

const FIND_PASSWORD_HASH = statement({
  text: `SELECT member_id AS "memberId", password_hash AS "passwordHash" FROM accounts.members WHERE email = $1`,
  parameters: [sql.text],
  row: { memberId: sql.uuid, passwordHash: sql.text },
});

/**
 * What opens the log-in of this e-mail; the hash comes without the member, and goes nowhere but to
 * the comparison.
 */
export async function findPasswordHash(
  q: Queryable,
  email: string,
): Promise<{ memberId: Uuid; passwordHash: string } | null> {
  const [row] = await q.run(FIND_PASSWORD_HASH, [email]);
  return row ?? null;
}

const HOLD_MEMBER = statement({
  text: "SELECT true AS found FROM accounts.members WHERE member_id = $1 AND password_hash = $2 FOR SHARE",
  parameters: [sql.uuid, sql.text],
  row: { found: sql.bool },
});

/**
 * Holds the member as it is until the transaction ends. False: it is gone, or its password is
 * another one since.
 */
export async function holdMember(
  tx: Queryable,
  memberId: Uuid,
  passwordHash: string,
): Promise<boolean> {
  const rows = await tx.run(HOLD_MEMBER, [memberId, passwordHash]);
  return rows.length === 1;
}

const CHANGE_PASSWORD = statement({
  text: `UPDATE accounts.members SET password_hash = $2, must_change_password = false
     WHERE member_id = $1 AND ($3::text IS NULL OR password_hash = $3) RETURNING true AS done`,
  parameters: [sql.uuid, sql.text, sql.nullable(sql.text)],
  row: { done: sql.bool },
});

/**
 * A password of the member's own. `was`: only where this is still the hash; null: whatever it is.
 * False: nothing was changed.
 */
export async function changePassword(
  tx: Queryable,
  change: { readonly memberId: Uuid; readonly was: string | null; readonly passwordHash: string },
): Promise<boolean> {
  const rows = await tx.run(CHANGE_PASSWORD, [change.memberId, change.passwordHash, change.was]);
  return rows.length === 1;
}

const MARK_VERIFIED = statement({
  text: "UPDATE accounts.members SET verified_at = clock_timestamp() WHERE member_id = $1 AND verified_at IS NULL RETURNING true AS done",
  parameters: [sql.uuid],
  row: { done: sql.bool },
});

/**
 * The e-mail is the member's: a link that was sent there came back. False: that was known already.
 */
export async function markVerified(tx: Queryable, memberId: Uuid): Promise<boolean> {
  const rows = await tx.run(MARK_VERIFIED, [memberId]);
  return rows.length === 1;
}

const SET_SIGN_UP_CODE = statement({
  text: "UPDATE accounts.members SET sign_up_code_id = $2 WHERE member_id = $1",
  parameters: [sql.uuid, sql.nullable(sql.uuid)],
});

/** With which code of the operator's it signed up; null: without. */
export async function setSignUpCode(
  tx: Queryable,
  memberId: Uuid,
  codeId: Uuid | null,
): Promise<void> {
  await tx.run(SET_SIGN_UP_CODE, [memberId, codeId]);
}

const SIGN_UP_CODE_OF = statement({
  text: `SELECT sign_up_code_id AS "codeId" FROM accounts.members WHERE member_id = $1`,
  parameters: [sql.uuid],
  row: { codeId: sql.nullable(sql.uuid) },
});

export async function signUpCodeOf(q: Queryable, memberId: Uuid): Promise<Uuid | null> {
  const [row] = await q.run(SIGN_UP_CODE_OF, [memberId]);
  return row?.codeId ?? null;
}

export interface SignUpAgain {
  /** Lower case. */
  readonly email: string;
  readonly passwordHash: string;
  readonly accountName: string;
  readonly language: Language;
}

const REPLACE_SIGN_UP = statement({
  text: `WITH replaced AS (
       UPDATE accounts.members SET password_hash = $2, language = $4, must_change_password = false
       WHERE email = $1 AND verified_at IS NULL RETURNING member_id, account_id),
     renamed AS (UPDATE accounts.accounts SET name = $3 WHERE account_id IN (SELECT account_id FROM replaced))
     SELECT member_id AS "memberId" FROM replaced`,
  parameters: [sql.text, sql.text, sql.text, sql.text],
  row: { memberId: sql.uuid },
});

/** A sign-up that was never confirmed becomes this one. Null: there is none of this e-mail. */
export async function replaceSignUp(tx: Queryable, again: SignUpAgain): Promise<Uuid | null> {
  const [row] = await tx.run(REPLACE_SIGN_UP, [
    again.email,
    again.passwordHash,
    again.accountName,
    again.language,
  ]);
  return row?.memberId ?? null;
}

const DELETE_SIGN_UP = statement({
  text: "DELETE FROM accounts.members WHERE email = $1 AND verified_at IS NULL",
  parameters: [sql.text],
});

/** A sign-up that was never confirmed stands in no other one's way. */
export async function deleteSignUp(tx: Queryable, email: string): Promise<void> {
  await tx.run(DELETE_SIGN_UP, [email]);
}

const CHANGE_PROFILE = statement({
  text: `UPDATE accounts.members SET name = coalesce($2, name), language = coalesce($3, language), timezone = coalesce($4, timezone)
     WHERE member_id = $1`,
  parameters: [sql.uuid, sql.nullable(sql.text), sql.nullable(sql.text), sql.nullable(sql.text)],
});

/** What is given changes. */
export async function changeProfile(
  q: Queryable,
  memberId: Uuid,
  changes: { readonly name?: string; readonly language?: Language; readonly timezone?: string },
): Promise<void> {
  await q.run(CHANGE_PROFILE, [
    memberId,
    changes.name ?? null,
    changes.language ?? null,
    changes.timezone ?? null,
  ]);
}

const HOLD_ROLES = statement({
  text: `SELECT member_id AS "memberId", role FROM accounts.members WHERE account_id = $1 AND verified_at IS NOT NULL ORDER BY member_id FOR UPDATE`,
  parameters: [sql.uuid],
  row: { memberId: sql.uuid, role: sql.oneOf(MEMBER_ROLES) },
});

/**
 * The roles of an account's members who have confirmed their e-mail, held as they are until the
 * transaction ends.
 */
export async function holdRoles(tx: Queryable, accountId: Uuid): Promise<Map<Uuid, MemberRole>> {
  const rows = await tx.run(HOLD_ROLES, [accountId]);
  return new Map(rows.map(({ memberId, role }) => [memberId, role]));
}

const CHANGE_ROLE = statement({
  text: "UPDATE accounts.members SET role = $2 WHERE member_id = $1",
  parameters: [sql.uuid, sql.text],
});

export async function changeRole(tx: Queryable, memberId: Uuid, role: MemberRole): Promise<void> {
  await tx.run(CHANGE_ROLE, [memberId, role]);
}

const DELETE_MEMBER = statement({
  text: "DELETE FROM accounts.members WHERE member_id = $1",
  parameters: [sql.uuid],
});

/** With its sessions, tokens, second factor and whatever else is its own. */
export async function deleteMember(tx: Queryable, memberId: Uuid): Promise<void> {
  await tx.run(DELETE_MEMBER, [memberId]);
}
