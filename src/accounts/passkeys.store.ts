/**
 * Passkeys of members (schema `accounts`): found by the credential that a browser shows, and counted
 * on by each signature.
 */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";

export interface Passkey {
  readonly passkeyId: Uuid;
  readonly memberId: Uuid;
  readonly credentialId: Buffer;
  /** COSE. */
  readonly publicKey: Buffer;
  /** How its authenticator may be reached, as the browser told. */
  readonly transports: readonly string[];
  readonly name: string;
  readonly createdAt: Date;
  /** Null: not yet. */
  readonly usedAt: Date | null;
}

const SELECT_PASSKEY = `
  SELECT passkey_id AS "passkeyId", member_id AS "memberId", credential_id AS "credentialId", public_key AS "publicKey", transports, name,
    created_at AS "createdAt", used_at AS "usedAt" FROM accounts.passkeys`;

const PASSKEY_ROW = {
  passkeyId: sql.uuid,
  memberId: sql.uuid,
  credentialId: sql.bytea,
  publicKey: sql.bytea,
  transports: sql.array(sql.text),
  name: sql.text,
  createdAt: sql.timestamptz,
  usedAt: sql.nullable(sql.timestamptz),
};

const FIND = statement({
  text: `${SELECT_PASSKEY} WHERE credential_id = $1`,
  parameters: [sql.bytea],
  row: PASSKEY_ROW,
});

export async function findPasskey(q: Queryable, credentialId: Buffer): Promise<Passkey | null> {
  const [row] = await q.run(FIND, [credentialId]);
  return row ?? null;
}

const OF_MEMBER = statement({
  text: `${SELECT_PASSKEY} WHERE member_id = $1 ORDER BY passkey_id`,
  parameters: [sql.uuid],
  row: PASSKEY_ROW,
});

/** In the order in which they were added. */
export async function passkeysOf(q: Queryable, memberId: Uuid): Promise<Passkey[]> {
  return q.run(OF_MEMBER, [memberId]);
}

const INSERT = statement({
  text: `INSERT INTO accounts.passkeys (passkey_id, member_id, credential_id, public_key, counter, transports, name)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (credential_id) DO NOTHING RETURNING created_at AS "createdAt"`,
  parameters: [sql.uuid, sql.uuid, sql.bytea, sql.bytea, sql.whole, sql.array(sql.text), sql.text],
  row: { createdAt: sql.timestamptz },
});

/** When it was added; null: this credential is there already, of this member or another. */
export async function insertPasskey(
  tx: Queryable,
  passkey: Omit<Passkey, "createdAt" | "usedAt"> & { readonly counter: number },
): Promise<Date | null> {
  const { passkeyId, memberId, credentialId, publicKey, counter, transports, name } = passkey;
  const [row] = await tx.run(INSERT, [
    passkeyId,
    memberId,
    credentialId,
    publicKey,
    counter,
    [...transports],
    name,
  ]);
  return row?.createdAt ?? null;
}

// A counter of 0 is that of an authenticator which does not count (WebAuthn §7.2, step 22).
const COUNT_ON = statement({
  text: `UPDATE accounts.passkeys SET counter = $2, used_at = clock_timestamp()
     WHERE passkey_id = $1 AND (counter < $2 OR (counter = 0 AND $2 = 0)) RETURNING true AS done`,
  parameters: [sql.uuid, sql.whole],
  row: { done: sql.bool },
});

const HOLD = statement({
  text: "SELECT counter FROM accounts.passkeys WHERE passkey_id = $1 FOR UPDATE",
  parameters: [sql.uuid],
  row: { counter: sql.whole },
});

/**
 * Notes a signature by its counter. `backwards`: one with this counter or a later one was there
 * before, so two authenticators have the key. Of two at a time with the same counter one is that.
 */
export async function countOnPasskey(
  tx: Queryable,
  passkeyId: Uuid,
  counter: number,
): Promise<
  { readonly kind: "counted" | "gone" } | { readonly kind: "backwards"; readonly stored: number }
> {
  const [held] = await tx.run(HOLD, [passkeyId]);
  if (held === undefined) return { kind: "gone" };
  const counted = await tx.run(COUNT_ON, [passkeyId, counter]);
  return counted.length === 1
    ? { kind: "counted" }
    : { kind: "backwards", stored: Number(held.counter) };
}

const DELETE = statement({
  text: "DELETE FROM accounts.passkeys WHERE passkey_id = $1 AND member_id = $2 RETURNING name",
  parameters: [sql.uuid, sql.uuid],
  row: { name: sql.text },
});

/** What it was called; null: it is none of this member's. */
export async function deletePasskey(
  tx: Queryable,
  memberId: Uuid,
  passkeyId: Uuid,
): Promise<string | null> {
  const [row] = await tx.run(DELETE, [passkeyId, memberId]);
  return row?.name ?? null;
}
