/**
 * The mail that waits and what became of it (schema `mail`): written with its cause, claimed by one
 * process at a time, erased once it is out.
 */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { newUuid } from "../../kernel/ids.ts";
import type { Seal } from "../../kernel/seal.ts";

export interface MailContent {
  /** One line. */
  readonly subject: string;
  readonly text: string;
  /** Null: there is nothing but the text. */
  readonly html: string | null;
}

export interface NewMail extends MailContent {
  /** One address. */
  readonly to: string;
  /** What it is about, for the log: `verify`, `alert`. */
  readonly kind: string;
}

export interface ClaimedMail {
  readonly mailId: Uuid;
  readonly kind: string;
  readonly to: string;
  /** This one among them. */
  readonly attempts: number;
  /** Null: it was sealed by another secret, and cannot be read any more. */
  readonly content: MailContent | null;
}

const ENQUEUE = statement({
  text: "INSERT INTO mail.outbox (mail_id, kind, recipient, sealed) VALUES ($1, $2, $3, $4)",
  parameters: [sql.uuid, sql.text, sql.text, sql.bytea],
});

/** Goes out soon after the transaction commits, and never if it does not. Returns the mail's id. */
export async function enqueueMail(tx: Queryable, seal: Seal, mail: NewMail): Promise<Uuid> {
  const mailId = newUuid();
  const { subject, text, html } = mail;
  const sealed = seal.seal(JSON.stringify({ subject, text, html }), placeOf(mailId));
  await tx.run(ENQUEUE, [mailId, mail.kind, mail.to, sealed]);
  return mailId;
}

const CLAIM = statement({
  text: `
  UPDATE mail.outbox SET attempts = attempts + 1, due_at = clock_timestamp() + $2 * interval '1 second'
  WHERE mail_id IN (
    SELECT mail_id FROM mail.outbox WHERE sealed IS NOT NULL AND due_at <= statement_timestamp() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING mail_id AS "mailId", kind, recipient AS "to", attempts, sealed`,
  parameters: [sql.whole, sql.float8],
  row: {
    mailId: sql.uuid,
    kind: sql.text,
    to: sql.text,
    attempts: sql.int4,
    sealed: sql.present(sql.bytea),
  },
});

/**
 * What is due, oldest first; no other process gets it for so long, unless its end is noted before.
 */
export async function claimMail(
  q: Queryable,
  seal: Seal,
  claim: { most: number; seconds: number },
): Promise<ClaimedMail[]> {
  const rows = await q.run(CLAIM, [claim.most, claim.seconds]);
  return rows
    .map(({ sealed, ...row }) => {
      const content = seal.open(sealed, placeOf(row.mailId));
      return { ...row, content: content === null ? null : (JSON.parse(content) as MailContent) };
    })
    .toSorted((a, b) => (a.mailId < b.mailId ? -1 : 1));
}

const NOTE_SENT = statement({
  text: "UPDATE mail.outbox SET sent_at = clock_timestamp(), sealed = NULL, last_error = NULL WHERE mail_id = $1 AND sealed IS NOT NULL",
  parameters: [sql.uuid],
});

/** It is out; what it said is erased. */
export async function noteMailSent(q: Queryable, mailId: Uuid): Promise<void> {
  await q.run(NOTE_SENT, [mailId]);
}

const NOTE_FAILED = statement({
  text: `UPDATE mail.outbox SET last_error = $2,
       due_at = clock_timestamp() + coalesce($3, 0) * interval '1 second',
       failed_at = CASE WHEN $3::int IS NULL THEN clock_timestamp() END,
       sealed = CASE WHEN $3::int IS NULL THEN NULL ELSE sealed END
     WHERE mail_id = $1 AND sealed IS NOT NULL`,
  parameters: [sql.uuid, sql.text, sql.nullable(sql.int4)],
});

/** `retrySeconds` null: given up, and erased. */
export async function noteMailFailed(
  q: Queryable,
  failure: { mailId: Uuid; error: string; retrySeconds: number | null },
): Promise<void> {
  await q.run(NOTE_FAILED, [failure.mailId, failure.error, failure.retrySeconds]);
}

const COUNT_LATE = statement({
  text: "SELECT count(*) AS count FROM mail.outbox WHERE sealed IS NOT NULL AND created_at < statement_timestamp() - interval '10 minutes'",
  row: { count: sql.int8 },
});

/** Mails that are not out ten minutes after they were written. */
export async function countLateMail(q: Queryable): Promise<number> {
  const [row] = await q.run(COUNT_LATE, []);
  return Number(row?.count ?? 0n);
}

const SWEEP = statement({
  text: "DELETE FROM mail.outbox WHERE sealed IS NULL AND created_at < statement_timestamp() - $1 * interval '1 day'",
  parameters: [sql.float8],
});

/** Forgets what ended so long ago. */
export async function sweepMail(q: Queryable, keptDays: number): Promise<void> {
  await q.run(SWEEP, [keptDays]);
}

function placeOf(mailId: Uuid): string {
  return `mail:${mailId}`;
}
