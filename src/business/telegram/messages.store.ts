/**
 * Messages that wait for Telegram and what became of them (schema `telegram`): written with their
 * cause, claimed by one process at a time, erased once they are out.
 */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { newUuid } from "../../kernel/ids.ts";
import type { Seal } from "../../kernel/seal.ts";

interface NewMessage {
  /** Whose alert it is; null: the bot's answer to what was written in the chat. */
  readonly memberId: Uuid | null;
  readonly chatId: bigint;
  readonly text: string;
}

export interface ClaimedMessage {
  readonly messageId: Uuid;
  readonly chatId: bigint;
  /** This one among them. */
  readonly attempts: number;
  /** Null: it was sealed by another secret, and cannot be read any more. */
  readonly text: string | null;
}

const ENQUEUE = statement({
  text: "INSERT INTO telegram.messages (message_id, member_id, chat_id, sealed) VALUES ($1, $2, $3, $4)",
  parameters: [sql.uuid, sql.nullable(sql.uuid), sql.int8, sql.bytea],
});

/** Goes out soon after the transaction commits, and never if it does not. Returns its id. */
export async function enqueueMessage(
  tx: Queryable,
  seal: Seal,
  { memberId, chatId, text }: NewMessage,
): Promise<Uuid> {
  const messageId = newUuid();
  await tx.run(ENQUEUE, [messageId, memberId, chatId, seal.seal(text, placeOf(messageId))]);
  return messageId;
}

const COUNT_ANSWERS = statement({
  text: `SELECT count(*)::int AS n FROM telegram.messages WHERE chat_id = $1 AND member_id IS NULL
     AND created_at > clock_timestamp() - $2 * interval '1 second'`,
  parameters: [sql.int8, sql.float8],
  row: { n: sql.int4 },
});

/** How often the bot answered in a chat of late. */
export async function countAnswers(q: Queryable, chatId: bigint, seconds: number): Promise<number> {
  const [row] = await q.run(COUNT_ANSWERS, [chatId, seconds]);
  return row?.n ?? 0;
}

// One of each chat at a time: they arrive in the order in which they were written, and a chat that
// is to be left alone for a while stops no other.
const CLAIM = statement({
  text: `
  UPDATE telegram.messages SET attempts = attempts + 1, due_at = clock_timestamp() + $2 * interval '1 second'
  WHERE message_id IN (
    SELECT m.message_id FROM telegram.messages m
    WHERE m.sealed IS NOT NULL AND m.due_at <= statement_timestamp() AND NOT EXISTS (
      SELECT FROM telegram.messages o WHERE o.chat_id = m.chat_id AND o.sealed IS NOT NULL
        AND (o.created_at, o.message_id) < (m.created_at, m.message_id))
    ORDER BY m.due_at LIMIT $1 FOR UPDATE OF m SKIP LOCKED)
  RETURNING message_id AS "messageId", chat_id AS "chatId", attempts, sealed`,
  parameters: [sql.whole, sql.float8],
  row: {
    messageId: sql.uuid,
    chatId: sql.int8,
    attempts: sql.int4,
    sealed: sql.present(sql.bytea),
  },
});

/** The first of each chat that is due; no other process gets it for so long. */
export async function claimMessages(
  q: Queryable,
  seal: Seal,
  claim: { readonly most: number; readonly seconds: number },
): Promise<ClaimedMessage[]> {
  const rows = await q.run(CLAIM, [claim.most, claim.seconds]);
  return rows.map(({ sealed, ...row }) => ({
    ...row,
    text: seal.open(sealed, placeOf(row.messageId)),
  }));
}

const NOTE_SENT = statement({
  text: "UPDATE telegram.messages SET sent_at = clock_timestamp(), sealed = NULL, last_error = NULL WHERE message_id = $1 AND sealed IS NOT NULL",
  parameters: [sql.uuid],
});

/** It is out; what it said is erased. */
export async function noteSent(q: Queryable, messageId: Uuid): Promise<void> {
  await q.run(NOTE_SENT, [messageId]);
}

const NOTE_FAILED = statement({
  text: `UPDATE telegram.messages SET last_error = $2, due_at = clock_timestamp() + coalesce($3::float8, 0) * interval '1 second',
       failed_at = CASE WHEN $3::float8 IS NULL THEN clock_timestamp() END, sealed = CASE WHEN $3::float8 IS NOT NULL THEN sealed END
     WHERE message_id = $1 AND sealed IS NOT NULL`,
  parameters: [sql.uuid, sql.text, sql.nullable(sql.float8)],
});

/** `retrySeconds` null: given up, and erased. */
export async function noteFailed(
  q: Queryable,
  failure: {
    readonly messageId: Uuid;
    readonly error: string;
    readonly retrySeconds: number | null;
  },
): Promise<void> {
  await q.run(NOTE_FAILED, [failure.messageId, failure.error, failure.retrySeconds]);
}

const PUT_OFF = statement({
  text: "UPDATE telegram.messages SET attempts = attempts - 1, due_at = clock_timestamp() + $2 * interval '1 second' WHERE message_id = $1 AND sealed IS NOT NULL",
  parameters: [sql.uuid, sql.float8],
});

/** It was not taken because there were too many: that is no try. */
export async function putOff(q: Queryable, messageId: Uuid, seconds: number): Promise<void> {
  await q.run(PUT_OFF, [messageId, seconds]);
}

const GIVE_UP = `SET failed_at = clock_timestamp(), sealed = NULL, last_error = $2`;

const DROP_OF_CHAT = statement({
  text: `UPDATE telegram.messages ${GIVE_UP} WHERE chat_id = $1 AND sealed IS NOT NULL`,
  parameters: [sql.int8, sql.text],
});

/** Whatever waits for a chat that cannot be written to any more. */
export async function dropOfChat(tx: Queryable, chatId: bigint, error: string): Promise<void> {
  await tx.run(DROP_OF_CHAT, [chatId, error]);
}

const DROP_OF_MEMBER = statement({
  text: `UPDATE telegram.messages ${GIVE_UP} WHERE member_id = $1 AND sealed IS NOT NULL`,
  parameters: [sql.uuid, sql.text],
});

/** Whatever waits for a member who wants nothing by Telegram any more. */
export async function dropOfMember(tx: Queryable, memberId: Uuid, error: string): Promise<void> {
  await tx.run(DROP_OF_MEMBER, [memberId, error]);
}

const REDIRECT = statement({
  text: "UPDATE telegram.messages SET chat_id = $2, due_at = clock_timestamp() WHERE member_id = $1 AND chat_id <> $2 AND sealed IS NOT NULL",
  parameters: [sql.uuid, sql.int8],
});

/** Whatever waits for a member goes to the chat that it has now. */
export async function redirectMessages(tx: Queryable, memberId: Uuid, to: bigint): Promise<void> {
  await tx.run(REDIRECT, [memberId, to]);
}

const MOVE = statement({
  text: "UPDATE telegram.messages SET chat_id = $2, due_at = clock_timestamp() WHERE chat_id = $1 AND sealed IS NOT NULL",
  parameters: [sql.int8, sql.int8],
});

export async function moveMessages(tx: Queryable, from: bigint, to: bigint): Promise<void> {
  await tx.run(MOVE, [from, to]);
}

const COUNT_LATE = statement({
  text: "SELECT count(*) AS count FROM telegram.messages WHERE sealed IS NOT NULL AND created_at < statement_timestamp() - interval '10 minutes'",
  row: { count: sql.int8 },
});

/** Messages that are not out ten minutes after they were written. */
export async function countLate(q: Queryable): Promise<number> {
  const [row] = await q.run(COUNT_LATE, []);
  return Number(row?.count ?? 0n);
}

const SWEEP = statement({
  text: "DELETE FROM telegram.messages WHERE sealed IS NULL AND created_at < statement_timestamp() - $1 * interval '1 day'",
  parameters: [sql.float8],
});

/** Forgets what ended so long ago. */
export async function sweepMessages(q: Queryable, keptDays: number): Promise<void> {
  await q.run(SWEEP, [keptDays]);
}

function placeOf(messageId: Uuid): string {
  return `telegram:${messageId}`;
}
