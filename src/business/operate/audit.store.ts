/**
 * The stored actions of operators (schema `audit`): added with what they did, listed newest first.
 */
import type { AUDIT_ACTIONS } from "../../contract/panel/operator-audit.ts";
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export interface NewAction {
  /** Null: on the server, by a command or a start. */
  readonly memberId: Uuid | null;
  /**
   * The member's e-mail, as it is now; `cli:` or `start:` and the name of the system's user where
   * there is no member.
   */
  readonly actor: string;
  readonly action: AuditAction;
  readonly accountId: Uuid | null;
  readonly subject: string | null;
  readonly reason: string | null;
  /** JSON-safe, without secrets; null where there is nothing to tell. */
  readonly before: unknown;
  readonly after: unknown;
}

export interface StoredAction extends NewAction {
  /** Time-ordered. */
  readonly auditId: Uuid;
  readonly at: Date;
}

const INSERT = statement({
  text: `
  INSERT INTO audit.actions (audit_id, member_id, actor, action, account_id, subject, reason, before, after)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
  parameters: [
    sql.uuid,
    sql.nullable(sql.uuid),
    sql.text,
    sql.text.as<AuditAction>(),
    sql.nullable(sql.uuid),
    sql.nullable(sql.text),
    sql.nullable(sql.text),
    sql.nullable(sql.json),
    sql.nullable(sql.json),
  ],
});

/** To be called in the transaction of the action itself. */
export async function recordAction(tx: Queryable, action: NewAction): Promise<void> {
  const { memberId, actor, accountId, subject, reason, before, after } = action;
  await tx.run(INSERT, [
    newUuid(),
    memberId,
    actor,
    action.action,
    accountId,
    subject,
    reason,
    jsonOf(before),
    jsonOf(after),
  ]);
}

function jsonOf(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

/** Null: of all. */
export interface ActionSearch {
  readonly accountId: Uuid | null;
  readonly memberId: Uuid | null;
  readonly action: string | null;
  readonly from: Date | null;
  readonly to: Date | null;
  /** The last one of the page before. */
  readonly before: Uuid | null;
  readonly limit: number;
}

const LIST = statement({
  text: `
  SELECT audit_id AS "auditId", at, member_id AS "memberId", actor, action, account_id AS "accountId", subject, reason, before, after
  FROM audit.actions
  WHERE ($1::uuid IS NULL OR account_id = $1) AND ($2::uuid IS NULL OR member_id = $2) AND ($3::text IS NULL OR action = $3)
    AND ($4::timestamptz IS NULL OR at >= $4) AND ($5::timestamptz IS NULL OR at < $5) AND ($6::uuid IS NULL OR audit_id < $6)
  ORDER BY audit_id DESC LIMIT $7`,
  parameters: [
    sql.nullable(sql.uuid),
    sql.nullable(sql.uuid),
    sql.nullable(sql.text),
    sql.nullable(sql.timestamptz),
    sql.nullable(sql.timestamptz),
    sql.nullable(sql.uuid),
    sql.whole,
  ],
  row: {
    auditId: sql.uuid,
    at: sql.timestamptz,
    memberId: sql.nullable(sql.uuid),
    actor: sql.text,
    action: sql.text.as<AuditAction>(),
    accountId: sql.nullable(sql.uuid),
    subject: sql.nullable(sql.text),
    reason: sql.nullable(sql.text),
    before: sql.nullable(sql.json),
    after: sql.nullable(sql.json),
  },
});

export async function listActions(q: Queryable, search: ActionSearch): Promise<StoredAction[]> {
  const { accountId, memberId, action, from, to, before, limit } = search;
  return q.run(LIST, [accountId, memberId, action, from, to, before, limit]);
}
