/** What the links in mails carry (schema `accounts`): for one member, one purpose and one use. */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";

export type TokenPurpose = "verify" | "reset";

/** How long its link works. */
const SECONDS = { verify: 24 * 3600, reset: 3600 } as const satisfies Record<TokenPurpose, number>;

const INSERT_TOKEN = statement({
  text: `INSERT INTO accounts.tokens (token_hash, purpose, member_id, expires_at) VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 second')`,
  parameters: [sql.bytea, sql.text, sql.uuid, sql.float8],
});

const LOCK_MEMBER = statement({
  text: "SELECT FROM accounts.members WHERE member_id = $1 FOR UPDATE",
  parameters: [sql.uuid],
});

/**
 * In place of those of before: what was mailed earlier leads nowhere from then on, also where two
 * are asked for at once.
 */
export async function putToken(
  tx: Queryable,
  token: { readonly tokenHash: Buffer; readonly purpose: TokenPurpose; readonly memberId: Uuid },
): Promise<void> {
  await tx.run(LOCK_MEMBER, [token.memberId]);
  await deleteTokensOf(tx, token.memberId, token.purpose);
  await tx.run(INSERT_TOKEN, [
    token.tokenHash,
    token.purpose,
    token.memberId,
    SECONDS[token.purpose],
  ]);
}

const FIND_TOKEN = statement({
  text: `SELECT member_id AS "memberId" FROM accounts.tokens WHERE token_hash = $1 AND purpose = $2 AND expires_at > clock_timestamp()`,
  parameters: [sql.bytea, sql.text],
  row: { memberId: sql.uuid },
});

/** Whose it is while it can be used; null as below. */
export async function findToken(
  q: Queryable,
  tokenHash: Buffer,
  purpose: TokenPurpose,
): Promise<Uuid | null> {
  const [row] = await q.run(FIND_TOKEN, [tokenHash, purpose]);
  return row?.memberId ?? null;
}

const USE_TOKEN = statement({
  text: `DELETE FROM accounts.tokens WHERE token_hash = $1 AND purpose = $2 AND expires_at > clock_timestamp() RETURNING member_id AS "memberId"`,
  parameters: [sql.bytea, sql.text],
  row: { memberId: sql.uuid },
});

/**
 * Whose it is, once: for the second who asks there is none. Null: unknown, used, too old, or for
 * another purpose.
 */
export async function useToken(
  tx: Queryable,
  tokenHash: Buffer,
  purpose: TokenPurpose,
): Promise<Uuid | null> {
  const [row] = await tx.run(USE_TOKEN, [tokenHash, purpose]);
  return row?.memberId ?? null;
}

const DELETE_TOKENS_OF = statement({
  text: "DELETE FROM accounts.tokens WHERE member_id = $1 AND purpose = $2",
  parameters: [sql.uuid, sql.text],
});

/** The member's links for this purpose lead nowhere from now on. */
export async function deleteTokensOf(
  tx: Queryable,
  memberId: Uuid,
  purpose: TokenPurpose,
): Promise<void> {
  await tx.run(DELETE_TOKENS_OF, [memberId, purpose]);
}
