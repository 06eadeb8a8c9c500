/**
 * What members changed of their account (schema `audit`): append-only, in months, by the account and
 * the time-ordered id.
 */
import type { AccountAction } from "../../contract/enums/account-action.ts";
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";

/** Who did it. */
export interface Actor {
  readonly accountId: Uuid;
  readonly memberId: Uuid;
  readonly email: string;
}

/** What it was done to, and what it was about. */
export interface Act {
  readonly action: AccountAction;
  /** A key's hash, or an id; null: the account itself. */
  readonly subjectId: string | null;
  /** What that is called now. */
  readonly subject: string | null;
  /** JSON-safe, without secrets; null where there is nothing to tell. */
  readonly before: unknown;
  readonly after: unknown;
}

interface StoredAct extends Act {
  readonly auditId: Uuid;
  readonly at: Date;
  readonly memberId: Uuid;
  readonly actor: string;
}

const INSERT = statement({
  text: `
  INSERT INTO audit.account_actions (account_id, audit_id, member_id, actor, action, subject_id, subject, before, after)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.uuid,
    sql.text,
    sql.text.as<AccountAction>(),
    sql.nullable(sql.text),
    sql.nullable(sql.text),
    sql.nullable(sql.json),
    sql.nullable(sql.json),
  ],
});

/** To be called in the transaction of the act itself. */
export async function recordAct(
  tx: Queryable,
  { accountId, memberId, email }: Actor,
  { action, subjectId, subject, before, after }: Act,
): Promise<void> {
  await tx.run(INSERT, [
    accountId,
    newUuid(),
    memberId,
    email,
    action,
    subjectId,
    subject,
    jsonOf(before),
    jsonOf(after),
  ]);
}

function jsonOf(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

/** Null: of all. */
interface ActSearch {
  readonly accountId: Uuid;
  readonly memberId: Uuid | null;
  readonly action: AccountAction | null;
  readonly from: Date | null;
  readonly to: Date | null;
  /** The last one of the page before. */
  readonly before: Uuid | null;
  readonly limit: number;
}

const LIST = statement({
  text: `
  SELECT audit_id AS "auditId", at, member_id AS "memberId", actor, action, subject_id AS "subjectId", subject, before, after
  FROM audit.account_actions
  WHERE account_id = $1 AND ($2::uuid IS NULL OR member_id = $2) AND ($3::text IS NULL OR action = $3)
    AND ($4::timestamptz IS NULL OR at >= $4) AND ($5::timestamptz IS NULL OR at < $5) AND ($6::uuid IS NULL OR audit_id < $6)
  ORDER BY audit_id DESC LIMIT $7`,
  parameters: [
    sql.uuid,
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
    memberId: sql.uuid,
    actor: sql.text,
    action: sql.text.as<AccountAction>(),
    subjectId: sql.nullable(sql.text),
    subject: sql.nullable(sql.text),
    before: sql.nullable(sql.json),
    after: sql.nullable(sql.json),
  },
});

/** Newest first. */
export async function listActs(q: Queryable, search: ActSearch): Promise<StoredAct[]> {
  const { accountId, memberId, action, from, to, before, limit } = search;
  return q.run(LIST, [accountId, memberId, action, from, to, before, limit]);
}
