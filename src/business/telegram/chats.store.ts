/** Chats that members linked, and the codes by which they are about to (schema `telegram`). */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { Uuid } from "../../kernel/ids.ts";

interface LinkedChat {
  readonly memberId: Uuid;
  readonly chatId: bigint;
  readonly title: string;
  readonly linkedAt: Date;
}

const PUT_CODE = statement({
  text: `INSERT INTO telegram.codes (member_id, code_hash, expires_at) VALUES ($1, $2, clock_timestamp() + $3 * interval '1 second')
     ON CONFLICT (member_id) DO UPDATE SET code_hash = excluded.code_hash, expires_at = excluded.expires_at
     RETURNING expires_at AS "expiresAt"`,
  parameters: [sql.uuid, sql.bytea, sql.float8],
  row: { expiresAt: sql.timestamptz },
});

/** In the place of the member's last one. Returns when it ends. */
export async function putCode(
  q: Queryable,
  memberId: Uuid,
  codeHash: Buffer,
  seconds: number,
): Promise<Date> {
  const [row] = await q.run(PUT_CODE, [memberId, codeHash, seconds]);
  if (row === undefined) throw new Error("an upsert returns its row");
  return row.expiresAt;
}

const USE_CODE = statement({
  text: `DELETE FROM telegram.codes WHERE code_hash = $1 RETURNING member_id AS "memberId", expires_at > clock_timestamp() AS good`,
  parameters: [sql.bytea],
  row: { memberId: sql.uuid, good: sql.bool },
});

/** Whose code it is, which ends it. Null: there is none, or it is too late. */
export async function useCode(tx: Queryable, codeHash: Buffer): Promise<Uuid | null> {
  const [row] = await tx.run(USE_CODE, [codeHash]);
  return row?.good === true ? row.memberId : null;
}

const LINK = statement({
  text: `INSERT INTO telegram.chats (member_id, chat_id, title) VALUES ($1, $2, $3)
     ON CONFLICT (member_id) DO UPDATE SET chat_id = excluded.chat_id, title = excluded.title, linked_at = clock_timestamp()`,
  parameters: [sql.uuid, sql.int8, sql.text],
});

/** In the place of the one that the member had. */
export async function linkChat(
  tx: Queryable,
  { memberId, chatId, title }: Omit<LinkedChat, "linkedAt">,
): Promise<void> {
  await tx.run(LINK, [memberId, chatId, title]);
}

const COLUMNS = `member_id AS "memberId", chat_id AS "chatId", title, linked_at AS "linkedAt"`;
const ROW = {
  memberId: sql.uuid,
  chatId: sql.int8,
  title: sql.text,
  linkedAt: sql.timestamptz,
};

const OF_MEMBERS = statement({
  text: `SELECT ${COLUMNS} FROM telegram.chats WHERE member_id = ANY ($1::uuid[])`,
  parameters: [sql.array(sql.uuid)],
  row: ROW,
});

/** By member; those who linked none are missing. */
export async function chatsOf(
  q: Queryable,
  memberIds: readonly Uuid[],
): Promise<Map<Uuid, LinkedChat>> {
  const rows = await q.run(OF_MEMBERS, [memberIds]);
  return new Map(rows.map((row) => [row.memberId, row]));
}

const UNLINK_MEMBER = statement({
  text: `DELETE FROM telegram.chats WHERE member_id = $1 RETURNING ${COLUMNS}`,
  parameters: [sql.uuid],
  row: ROW,
});

/** Null: the member had none. */
export async function unlinkMember(tx: Queryable, memberId: Uuid): Promise<LinkedChat | null> {
  const [row] = await tx.run(UNLINK_MEMBER, [memberId]);
  return row ?? null;
}

const UNLINK_CHAT = statement({
  text: `DELETE FROM telegram.chats WHERE chat_id = $1 RETURNING ${COLUMNS}`,
  parameters: [sql.int8],
  row: ROW,
});

/** Of every member who linked it. */
export async function unlinkChat(tx: Queryable, chatId: bigint): Promise<LinkedChat[]> {
  return tx.run(UNLINK_CHAT, [chatId]);
}

const MOVE = statement({
  text: "UPDATE telegram.chats SET chat_id = $2 WHERE chat_id = $1",
  parameters: [sql.int8, sql.int8],
});

/** A group that was given another id. */
export async function moveChat(tx: Queryable, from: bigint, to: bigint): Promise<void> {
  await tx.run(MOVE, [from, to]);
}

const FORGET_CODE = statement({
  text: "DELETE FROM telegram.codes WHERE member_id = $1",
  parameters: [sql.uuid],
});

export async function forgetCode(tx: Queryable, memberId: Uuid): Promise<void> {
  await tx.run(FORGET_CODE, [memberId]);
}

const SWEEP_CODES = statement({
  text: "DELETE FROM telegram.codes WHERE expires_at <= statement_timestamp()",
});

export async function sweepCodes(q: Queryable): Promise<void> {
  await q.run(SWEEP_CODES, []);
}
