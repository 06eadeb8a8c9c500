/**
 * Second factors and their recovery codes (schema `accounts`): sealed or hashed, and each code
 * taken once, whichever process is asked.
 */
import type { Queryable } from "../db/database.ts";
import type { Uuid } from "../kernel/ids.ts";

type Statements = Queryable;

/**
 * A secret that has to be confirmed; it takes the place of another that was not. False: a confirmed
 * one is there.
 */
export async function beginTotp(
  q: Statements,
  memberId: Uuid,
  sealedSecret: Buffer,
): Promise<boolean> {
  const rows = await q.query(
    `INSERT INTO accounts.totp AS t (member_id, sealed_secret) VALUES ($1, $2)
     ON CONFLICT (member_id) DO UPDATE SET sealed_secret = excluded.sealed_secret WHERE t.confirmed_at IS NULL RETURNING true`,
    [memberId, sealedSecret],
  );
  return rows.length === 1;
}

/** Sealed. Null: the member has none in this state. */
export async function findTotpSecret(
  q: Statements,
  memberId: Uuid,
  state: "begun" | "confirmed",
): Promise<Buffer | null> {
  const [row] = await q.query<{ sealed: Buffer }>(
    "SELECT sealed_secret AS sealed FROM accounts.totp WHERE member_id = $1 AND (confirmed_at IS NOT NULL) = $2",
    [memberId, state === "confirmed"],
  );
  return row?.sealed ?? null;
}

/** Takes the code of this period, once. False: it, or a later one, was taken already. */
export async function takeTotpStep(tx: Statements, memberId: Uuid, step: number): Promise<boolean> {
  const rows = await tx.query(
    "UPDATE accounts.totp SET last_step = $2 WHERE member_id = $1 AND last_step < $2 RETURNING true",
    [memberId, step],
  );
  return rows.length === 1;
}

/**
 * From now on it is asked at each log-in. The codes take the place of any others. False: there is
 * none that waits for it.
 */
export async function confirmTotp(
  tx: Statements,
  memberId: Uuid,
  recoveryHashes: readonly Buffer[],
): Promise<boolean> {
  const confirmed = await tx.query(
    "UPDATE accounts.totp SET confirmed_at = clock_timestamp() WHERE member_id = $1 AND confirmed_at IS NULL RETURNING true",
    [memberId],
  );
  if (confirmed.length === 0) return false;
  await tx.query("DELETE FROM accounts.recovery_codes WHERE member_id = $1", [memberId]);
  await tx.query(
    "INSERT INTO accounts.recovery_codes (member_id, code_hash) SELECT $1, unnest($2::bytea[])",
    [memberId, recoveryHashes],
  );
  return true;
}

/** False: it is none of the member's, or was used. */
export async function takeRecoveryCode(
  tx: Statements,
  memberId: Uuid,
  codeHash: Buffer,
): Promise<boolean> {
  const rows = await tx.query(
    "DELETE FROM accounts.recovery_codes WHERE member_id = $1 AND code_hash = $2 RETURNING true",
    [memberId, codeHash],
  );
  return rows.length === 1;
}

export async function deleteTotp(tx: Statements, memberId: Uuid): Promise<void> {
  await tx.query("DELETE FROM accounts.recovery_codes WHERE member_id = $1", [memberId]);
  await tx.query("DELETE FROM accounts.totp WHERE member_id = $1", [memberId]);
}
