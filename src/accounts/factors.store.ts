/**
 * What a member proves itself by beside the password (schema `accounts`), held as it is while it
 * changes.
 */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";

export interface Factors {
  /** Codes of an app, confirmed. */
  readonly totp: boolean;
  readonly passkeys: number;
  /** Its account wants a second factor of every member. */
  readonly required: boolean;
}

const HOLD_MEMBER = statement({
  text: "SELECT true AS found FROM accounts.members WHERE member_id = $1 FOR UPDATE",
  parameters: [sql.uuid],
  row: { found: sql.bool },
});

const FACTORS = statement({
  text: `SELECT a.totp_required AS required,
       EXISTS (SELECT FROM accounts.totp t WHERE t.member_id = m.member_id AND t.confirmed_at IS NOT NULL) AS totp,
       (SELECT count(*) FROM accounts.passkeys p WHERE p.member_id = m.member_id) AS passkeys
     FROM accounts.members m JOIN accounts.accounts a USING (account_id) WHERE m.member_id = $1`,
  parameters: [sql.uuid],
  row: { required: sql.bool, totp: sql.bool, passkeys: sql.present(sql.whole) },
});

/**
 * Nothing takes one away or adds one until the transaction ends, and no owner wants one of this
 * member meanwhile, because who does holds its members. Null: the member is gone.
 */
export async function holdFactors(tx: Queryable, memberId: Uuid): Promise<Factors | null> {
  // Read in a statement of its own: what the wait was for is seen by that.
  if ((await tx.run(HOLD_MEMBER, [memberId])).length === 0) return null;
  const [row] = await tx.run(FACTORS, [memberId]);
  return row === undefined ? null : { ...row, passkeys: Number(row.passkeys) };
}

/** Whether the member has any. */
export function hasFactor({ totp, passkeys }: Pick<Factors, "totp" | "passkeys">): boolean {
  return totp || passkeys > 0;
}
