/**
 * Invitations into an account (schema `accounts`): one for each e-mail, whose link is known by its
 * HMAC.
 */
import type { Language } from "../contract/enums/language.ts";
import type { MemberRole } from "../contract/enums/member-role.ts";
import type { Queryable } from "../db/database.ts";
import type { Uuid } from "../kernel/ids.ts";

type Statements = Queryable;

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

/** In place of one of the same e-mail before, whose link leads nowhere from then on. */
export async function putInvitation(
  tx: Statements,
  invitation: Pick<Invitation, "invitationId" | "accountId" | "email" | "role" | "language"> & {
    readonly tokenHash: Buffer;
  },
): Promise<void> {
  const { invitationId, accountId, email, role, language, tokenHash } = invitation;
  await tx.query(
    `INSERT INTO accounts.invitations (invitation_id, account_id, email, role, language, token_hash, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + $7 * interval '1 second')
     ON CONFLICT (account_id, email) DO UPDATE SET role = excluded.role, language = excluded.language, token_hash = excluded.token_hash,
       created_at = clock_timestamp(), expires_at = excluded.expires_at`,
    [invitationId, accountId, email, role, language, tokenHash, SECONDS],
  );
}

/** Null: unknown, used, withdrawn or too old. */
export async function findInvitation(q: Statements, tokenHash: Buffer): Promise<Invitation | null> {
  const [row] = await q.query<Invitation>(
    `SELECT ${COLUMNS} FROM accounts.invitations WHERE token_hash = $1 AND expires_at > clock_timestamp()`,
    [tokenHash],
  );
  return row ?? null;
}

/** The same, and it is used with that. */
export async function useInvitation(tx: Statements, tokenHash: Buffer): Promise<Invitation | null> {
  const [row] = await tx.query<Invitation>(
    `DELETE FROM accounts.invitations WHERE token_hash = $1 AND expires_at > clock_timestamp() RETURNING ${COLUMNS}`,
    [tokenHash],
  );
  return row ?? null;
}

/** Those that may still be accepted, the newest first. */
export async function invitationsOf(q: Statements, accountId: Uuid): Promise<Invitation[]> {
  return q.query<Invitation>(
    `SELECT ${COLUMNS} FROM accounts.invitations WHERE account_id = $1 AND expires_at > clock_timestamp() ORDER BY created_at DESC, invitation_id DESC`,
    [accountId],
  );
}

/** False: it is none of this account's. */
export async function deleteInvitation(
  q: Statements,
  accountId: Uuid,
  invitationId: Uuid,
): Promise<boolean> {
  const rows = await q.query(
    "DELETE FROM accounts.invitations WHERE invitation_id = $1 AND account_id = $2 RETURNING true",
    [invitationId, accountId],
  );
  return rows.length === 1;
}
