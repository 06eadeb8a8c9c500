/** What the links in mails carry (schema `accounts`): for one member, one purpose and one use. */
import type { Queryable } from "../db/database.ts";
import type { Uuid } from "../kernel/ids.ts";

type Statements = Queryable;

export type TokenPurpose = "verify" | "reset";

/** How long its link works. */
const SECONDS = { verify: 24 * 3600, reset: 3600 } as const satisfies Record<TokenPurpose, number>;

/**
 * In place of those of before: what was mailed earlier leads nowhere from then on, also where two
 * are asked for at once.
 */
export async function putToken(
  tx: Statements,
  token: { readonly tokenHash: Buffer; readonly purpose: TokenPurpose; readonly memberId: Uuid },
): Promise<void> {
  await tx.query("SELECT FROM accounts.members WHERE member_id = $1 FOR UPDATE", [token.memberId]);
  await deleteTokensOf(tx, token.memberId, token.purpose);
  await tx.query(
    `INSERT INTO accounts.tokens (token_hash, purpose, member_id, expires_at) VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 second')`,
    [token.tokenHash, token.purpose, token.memberId, SECONDS[token.purpose]],
  );
}

/** Whose it is while it can be used; null as below. */
export async function findToken(
  q: Statements,
  tokenHash: Buffer,
  purpose: TokenPurpose,
): Promise<Uuid | null> {
  const [row] = await q.query<{ memberId: Uuid }>(
    `SELECT member_id AS "memberId" FROM accounts.tokens WHERE token_hash = $1 AND purpose = $2 AND expires_at > clock_timestamp()`,
    [tokenHash, purpose],
  );
  return row?.memberId ?? null;
}

/**
 * Whose it is, once: for the second who asks there is none. Null: unknown, used, too old, or for
 * another purpose.
 */
export async function useToken(
  tx: Statements,
  tokenHash: Buffer,
  purpose: TokenPurpose,
): Promise<Uuid | null> {
  const [row] = await tx.query<{ memberId: Uuid }>(
    `DELETE FROM accounts.tokens WHERE token_hash = $1 AND purpose = $2 AND expires_at > clock_timestamp() RETURNING member_id AS "memberId"`,
    [tokenHash, purpose],
  );
  return row?.memberId ?? null;
}

/** The member's links for this purpose lead nowhere from now on. */
export async function deleteTokensOf(
  tx: Statements,
  memberId: Uuid,
  purpose: TokenPurpose,
): Promise<void> {
  await tx.query("DELETE FROM accounts.tokens WHERE member_id = $1 AND purpose = $2", [
    memberId,
    purpose,
  ]);
}
