/**
 * Second factors and their recovery codes (schema `accounts`): sealed or hashed, and each code
 * taken once, whichever process is asked.
 */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";

const BEGIN_TOTP = statement({
  text: `INSERT INTO accounts.totp AS t (member_id, sealed_secret) VALUES ($1, $2)
     ON CONFLICT (member_id) DO UPDATE SET sealed_secret = excluded.sealed_secret WHERE t.confirmed_at IS NULL RETURNING true AS done`,
  parameters: [sql.uuid, sql.bytea],
  row: { done: sql.bool },
});

/**
 * A secret that has to be confirmed; it takes the place of another that was not. False: a confirmed
 * one is there.
 */
export async function beginTotp(
  q: Queryable,
  memberId: Uuid,
  sealedSecret: Buffer,
): Promise<boolean> {
  const rows = await q.run(BEGIN_TOTP, [memberId, sealedSecret]);
  return rows.length === 1;
}

const FIND_TOTP_SECRET = statement({
  text: "SELECT sealed_secret AS sealed FROM accounts.totp WHERE member_id = $1 AND (confirmed_at IS NOT NULL) = $2",
  parameters: [sql.uuid, sql.bool],
  row: { sealed: sql.bytea },
});

/** Sealed. Null: the member has none in this state. */
export async function findTotpSecret(
  q: Queryable,
  memberId: Uuid,
  state: "begun" | "confirmed",
): Promise<Buffer | null> {
  const [row] = await q.run(FIND_TOTP_SECRET, [memberId, state === "confirmed"]);
  return row?.sealed ?? null;
}

const TAKE_TOTP_STEP = statement({
  text: "UPDATE accounts.totp SET last_step = $2 WHERE member_id = $1 AND last_step < $2 RETURNING true AS done",
  parameters: [sql.uuid, sql.whole],
  row: { done: sql.bool },
});

/** Takes the code of this period, once. False: it, or a later one, was taken already. */
export async function takeTotpStep(tx: Queryable, memberId: Uuid, step: number): Promise<boolean> {
  const rows = await tx.run(TAKE_TOTP_STEP, [memberId, step]);
  return rows.length === 1;
}

const INSERT_CODES = statement({
  text: "INSERT INTO accounts.recovery_codes (member_id, code_hash) SELECT $1, unnest($2::bytea[])",
  parameters: [sql.uuid, sql.array(sql.bytea)],
});

const DELETE_CODES = statement({
  text: "DELETE FROM accounts.recovery_codes WHERE member_id = $1",
  parameters: [sql.uuid],
});

const CONFIRM = statement({
  text: "UPDATE accounts.totp SET confirmed_at = clock_timestamp() WHERE member_id = $1 AND confirmed_at IS NULL RETURNING true AS done",
  parameters: [sql.uuid],
  row: { done: sql.bool },
});

/**
 * From now on it is asked at each log-in. The codes take the place of any others. False: there is
 * none that waits for it.
 */
export async function confirmTotp(
  tx: Queryable,
  memberId: Uuid,
  recoveryHashes: readonly Buffer[],
): Promise<boolean> {
  const confirmed = await tx.run(CONFIRM, [memberId]);
  if (confirmed.length === 0) return false;
  await putRecoveryCodes(tx, memberId, recoveryHashes);
  return true;
}

const TAKE_RECOVERY_CODE = statement({
  text: "DELETE FROM accounts.recovery_codes WHERE member_id = $1 AND code_hash = $2 RETURNING true AS done",
  parameters: [sql.uuid, sql.bytea],
  row: { done: sql.bool },
});

/** False: it is none of the member's, or was used. */
export async function takeRecoveryCode(
  tx: Queryable,
  memberId: Uuid,
  codeHash: Buffer,
): Promise<boolean> {
  const rows = await tx.run(TAKE_RECOVERY_CODE, [memberId, codeHash]);
  return rows.length === 1;
}

const DELETE_TOTP = statement({
  text: "DELETE FROM accounts.totp WHERE member_id = $1",
  parameters: [sql.uuid],
});

/** Its recovery codes stay for another factor, or go by `deleteRecoveryCodes`. */
export async function deleteTotp(tx: Queryable, memberId: Uuid): Promise<void> {
  await tx.run(DELETE_TOTP, [memberId]);
}

export async function deleteRecoveryCodes(tx: Queryable, memberId: Uuid): Promise<void> {
  await tx.run(DELETE_CODES, [memberId]);
}

/** In the place of any others. */
export async function putRecoveryCodes(
  tx: Queryable,
  memberId: Uuid,
  hashes: readonly Buffer[],
): Promise<void> {
  await tx.run(DELETE_CODES, [memberId]);
  await tx.run(INSERT_CODES, [memberId, hashes]);
}

const SET_REQUIRED = statement({
  text: "UPDATE accounts.accounts SET totp_required = $2 WHERE account_id = $1",
  parameters: [sql.uuid, sql.bool],
});

/** Whether members of the account without one may do nothing but set one up. */
export async function setTotpRequired(
  tx: Queryable,
  accountId: Uuid,
  required: boolean,
): Promise<void> {
  await tx.run(SET_REQUIRED, [accountId, required]);
}
