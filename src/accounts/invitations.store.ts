/**
 * Invitations into an account (schema `accounts`): one for each e-mail, whose link is known by its
 * HMAC.
 */
import { LANGUAGES, type Language } from "../contract/enums/language.ts";
import { MEMBER_ROLES, type MemberRole } from "../contract/enums/member-role.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";

export interface Invitation {
  readonly invitationId: Uuid;
  readonly accountId: Uuid;
  /** Lower case. */
  readonly email: string;
  readonly role: MemberRole;
  readonly language: Language;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const SECONDS = 7 * 24 * 3600;
const COLUMNS = `invitation_id AS "invitationId", account_id AS "accountId", email, role, language, created_at AS "createdAt", expires_at AS "expiresAt"`;

const PUT_INVITATION = statement({
  text: `INSERT INTO accounts.invitations (invitation_id, account_id, email, role, language, token_hash, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + $7 * interval '1 second')
     ON CONFLICT (account_id, email) DO UPDATE SET role = excluded.role, language = excluded.language, token_hash = excluded.token_hash,
       created_at = clock_timestamp(), expires_at = excluded.expires_at`,
  parameters: [sql.uuid, sql.uuid, sql.text, sql.text, sql.text, sql.bytea, sql.float8],
});

/** In place of one of the same e-mail before, whose link leads nowhere from then on. */
export async function putInvitation(
  tx: Queryable,
  invitation: Pick<Invitation, "invitationId" | "accountId" | "email" | "role" | "language"> & {
    readonly tokenHash: Buffer;
  },
): Promise<void> {
  const { invitationId, accountId, email, role, language, tokenHash } = invitation;
  await tx.run(PUT_INVITATION, [
    invitationId,
    accountId,
    email,
    role,
    language,
    tokenHash,
    SECONDS,
  ]);
}

const INVITATION = {
  invitationId: sql.uuid,
  accountId: sql.uuid,
  email: sql.text,
  role: sql.oneOf(MEMBER_ROLES),
  language: sql.oneOf(LANGUAGES),
  createdAt: sql.timestamptz,
  expiresAt: sql.timestamptz,
};

const FIND_INVITATION = statement({
  text: `SELECT ${COLUMNS} FROM accounts.invitations WHERE token_hash = $1 AND expires_at > clock_timestamp()`,
  parameters: [sql.bytea],
  row: INVITATION,
});

/** Null: unknown, used, withdrawn or too old. */
export async function findInvitation(q: Queryable, tokenHash: Buffer): Promise<Invitation | null> {
  const [row] = await q.run(FIND_INVITATION, [tokenHash]);
  return row ?? null;
}

const USE_INVITATION = statement({
  text: `DELETE FROM accounts.invitations WHERE token_hash = $1 AND expires_at > clock_timestamp() RETURNING ${COLUMNS}`,
  parameters: [sql.bytea],
  row: INVITATION,
});

/** The same, and it is used with that. */
export async function useInvitation(tx: Queryable, tokenHash: Buffer): Promise<Invitation | null> {
  const [row] = await tx.run(USE_INVITATION, [tokenHash]);
  return row ?? null;
}

const INVITATIONS_OF = statement({
  text: `SELECT ${COLUMNS} FROM accounts.invitations WHERE account_id = $1 AND expires_at > clock_timestamp() ORDER BY created_at DESC, invitation_id DESC`,
  parameters: [sql.uuid],
  row: INVITATION,
});

/** Those that may still be accepted, the newest first. */
export async function invitationsOf(q: Queryable, accountId: Uuid): Promise<Invitation[]> {
  return q.run(INVITATIONS_OF, [accountId]);
}

const DELETE_INVITATION = statement({
  text: "DELETE FROM accounts.invitations WHERE invitation_id = $1 AND account_id = $2 RETURNING true AS done",
  parameters: [sql.uuid, sql.uuid],
  row: { done: sql.bool },
});

/** False: it is none of this account's. */
export async function deleteInvitation(
  q: Queryable,
  accountId: Uuid,
  invitationId: Uuid,
): Promise<boolean> {
  const rows = await q.run(DELETE_INVITATION, [invitationId, accountId]);
  return rows.length === 1;
}
