/**
 * Codes with which strangers may sign up (schema `installation`), known by their HMAC; the database
 * counts their uses.
 */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { Uuid } from "../../kernel/ids.ts";

export interface NewSignUpCode {
  readonly codeId: Uuid;
  readonly codeHash: Buffer;
  readonly hint: string;
  readonly note: string | null;
  /** Null: any number. */
  readonly mostUses: number | null;
  /** From now; null: for ever. */
  readonly days: number | null;
}

export interface StoredSignUpCode {
  readonly codeId: Uuid;
  readonly hint: string;
  readonly note: string | null;
  readonly uses: number;
  readonly mostUses: number | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

const INSERT = statement({
  text: `INSERT INTO installation.sign_up_codes (code_id, code_hash, hint, note, most_uses, expires_at)
     VALUES ($1, $2, $3, $4, $5, clock_timestamp() + $6::int * interval '1 day')`,
  parameters: [
    sql.uuid,
    sql.bytea,
    sql.text,
    sql.nullable(sql.text),
    sql.nullable(sql.int4),
    sql.nullable(sql.int4),
  ],
});

export async function insertSignUpCode(tx: Queryable, code: NewSignUpCode): Promise<void> {
  const { codeId, codeHash, hint, note, mostUses, days } = code;
  await tx.run(INSERT, [codeId, codeHash, hint, note, mostUses, days]);
}

const LIST = statement({
  text: `SELECT code_id AS "codeId", hint, note, uses, most_uses AS "mostUses", created_at AS "createdAt", expires_at AS "expiresAt"
     FROM installation.sign_up_codes WHERE deleted_at IS NULL ORDER BY code_id DESC LIMIT $1`,
  parameters: [sql.whole],
  row: {
    codeId: sql.uuid,
    hint: sql.text,
    note: sql.nullable(sql.text),
    uses: sql.int4,
    mostUses: sql.nullable(sql.int4),
    createdAt: sql.timestamptz,
    expiresAt: sql.nullable(sql.timestamptz),
  },
});

/** Newest first, without those that were withdrawn. */
export async function listSignUpCodes(q: Queryable, limit: number): Promise<StoredSignUpCode[]> {
  return q.run(LIST, [limit]);
}

const WITHDRAW = statement({
  text: `UPDATE installation.sign_up_codes SET deleted_at = clock_timestamp()
     WHERE code_id = $1 AND deleted_at IS NULL RETURNING hint`,
  parameters: [sql.uuid],
  row: { hint: sql.text },
});

/** Returns how it began; null: there is no such code. */
export async function withdrawSignUpCode(tx: Queryable, codeId: Uuid): Promise<string | null> {
  const [row] = await tx.run(WITHDRAW, [codeId]);
  return row?.hint ?? null;
}

const ROOM = "deleted_at IS NULL AND (most_uses IS NULL OR uses < most_uses)";

const FIND = statement({
  text: `SELECT code_id AS "codeId" FROM installation.sign_up_codes
     WHERE code_hash = $1 AND ${ROOM} AND (expires_at IS NULL OR expires_at > clock_timestamp())`,
  parameters: [sql.bytea],
  row: { codeId: sql.uuid },
});

/** Null: it is unknown, withdrawn, used up or too old. */
export async function findSignUpCode(q: Queryable, codeHash: Buffer): Promise<Uuid | null> {
  const [row] = await q.run(FIND, [codeHash]);
  return row?.codeId ?? null;
}

const USE = statement({
  text: `UPDATE installation.sign_up_codes SET uses = uses + 1 WHERE code_id = $1 AND ${ROOM} RETURNING true AS done`,
  parameters: [sql.uuid],
  row: { done: sql.bool },
});

/** False: there is no use left, or it was withdrawn. Who came in time comes in after its end too. */
export async function spendSignUpCode(tx: Queryable, codeId: Uuid): Promise<boolean> {
  const rows = await tx.run(USE, [codeId]);
  return rows.length === 1;
}
