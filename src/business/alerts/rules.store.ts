/** The rules by which an account is alerted, and whether each has fired. */
import type { AlertKind, MailTo } from "../../contract/enums/alert-terms.ts";
import type { Queryable } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";

type Statements = Queryable;

export interface RuleSettings {
  readonly thresholdNano: Nano;
  /** Of a spike; null otherwise. */
  readonly factor: number | null;
  /** Whose spend: the account's id, or the budget's of the key that `keyHash` names. */
  readonly subjectId: Uuid;
  readonly keyHash: string | null;
  readonly enabled: boolean;
  readonly mailTo: MailTo;
  readonly memberIds: readonly Uuid[];
  readonly webhookUrl: string | null;
}

export interface Rule extends RuleSettings {
  readonly ruleId: Uuid;
  readonly accountId: Uuid;
  readonly kind: AlertKind;
  /** It has fired for this crossing, and waits for the next. */
  readonly quiet: boolean;
  readonly firedAt: Date | null;
  readonly createdAt: Date;
}

export type NewRule = RuleSettings & Pick<Rule, "ruleId" | "accountId" | "kind">;

const COLUMNS = `rule_id AS "ruleId", account_id AS "accountId", kind::text AS kind, threshold_nano AS "thresholdNano", factor, subject_id AS "subjectId",
  key_hash AS "keyHash", enabled, mail_to AS "mailTo", member_ids AS "memberIds", webhook_url AS "webhookUrl",
  coalesce(quiet_until > clock_timestamp(), false) AS quiet, fired_at AS "firedAt", created_at AS "createdAt"`;

export async function insertRule(tx: Statements, rule: NewRule): Promise<void> {
  await tx.query(
    `INSERT INTO alerts.rules (rule_id, account_id, kind, threshold_nano, factor, subject_id, key_hash, enabled, mail_to, member_ids, webhook_url)
     VALUES ($1, $2, $3::alerts.kind, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [rule.ruleId, rule.accountId, rule.kind, ...settingParams(rule)],
  );
}

/** It is armed anew: the caller says by `quietRule` whether it holds already. */
export async function changeRule(
  tx: Statements,
  ruleId: Uuid,
  settings: RuleSettings,
): Promise<void> {
  await tx.query(
    `UPDATE alerts.rules SET threshold_nano = $2, factor = $3, subject_id = $4, key_hash = $5, enabled = $6, mail_to = $7, member_ids = $8,
       webhook_url = $9 WHERE rule_id = $1`,
    [ruleId, ...settingParams(settings)],
  );
}

function settingParams(rule: RuleSettings): unknown[] {
  const { thresholdNano, factor, subjectId, keyHash, enabled, mailTo, memberIds, webhookUrl } =
    rule;
  return [thresholdNano, factor, subjectId, keyHash, enabled, mailTo, memberIds, webhookUrl];
}

/** In the order in which they were made. */
export async function rulesOf(q: Statements, accountId: Uuid): Promise<Rule[]> {
  return rulesOfAll(q, [accountId]);
}

/** Of several accounts. */
export async function rulesOfAll(q: Statements, accountIds: readonly Uuid[]): Promise<Rule[]> {
  return q.query<Rule>(
    `SELECT ${COLUMNS} FROM alerts.rules WHERE account_id = ANY ($1::uuid[]) ORDER BY account_id, rule_id`,
    [accountIds],
  );
}

/** Null: this account has no such rule. */
export async function findRule(q: Statements, accountId: Uuid, ruleId: Uuid): Promise<Rule | null> {
  const [row] = await q.query<Rule>(
    `SELECT ${COLUMNS} FROM alerts.rules WHERE account_id = $1 AND rule_id = $2`,
    [accountId, ruleId],
  );
  return row ?? null;
}

/** Its deliveries stay in the log. */
export async function deleteRule(q: Statements, accountId: Uuid, ruleId: Uuid): Promise<boolean> {
  const rows = await q.query(
    "DELETE FROM alerts.rules WHERE account_id = $1 AND rule_id = $2 RETURNING true",
    [accountId, ruleId],
  );
  return rows.length === 1;
}

/**
 * Those about one key are about another from now on; what has fired for its day or month stays
 * quiet in it.
 */
export async function moveRules(
  tx: Statements,
  accountId: Uuid,
  fromHash: string,
  to: { readonly keyId: Uuid; readonly hash: string },
): Promise<void> {
  await tx.query(
    "UPDATE alerts.rules SET subject_id = $3, key_hash = $4 WHERE account_id = $1 AND key_hash = $2",
    [accountId, fromHash, to.keyId, to.hash],
  );
}

const MOSCOW_DAY = `(date_trunc('day', clock_timestamp() AT TIME ZONE 'Europe/Moscow') + interval '1 day') AT TIME ZONE 'Europe/Moscow'`;
const MOSCOW_MONTH = `(date_trunc('month', clock_timestamp() AT TIME ZONE 'Europe/Moscow') + interval '1 month') AT TIME ZONE 'Europe/Moscow'`;
/** Until the balance is up again; the next period; an hour after it was last seen above. */
const QUIET_UNTIL = `CASE kind WHEN 'balance_below' THEN 'infinity' WHEN 'spend_day' THEN ${MOSCOW_DAY} WHEN 'spend_month' THEN ${MOSCOW_MONTH}
  ELSE clock_timestamp() + interval '1 hour' END`;

/** Fires for this crossing. False: it has already, or is switched off. */
export async function fireRule(tx: Statements, ruleId: Uuid): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE alerts.rules SET fired_at = clock_timestamp(), quiet_until = ${QUIET_UNTIL}
     WHERE rule_id = $1 AND enabled AND (quiet_until IS NULL OR quiet_until <= clock_timestamp()) RETURNING true`,
    [ruleId],
  );
  return rows.length === 1;
}

/**
 * What it watches is past its threshold, and it says nothing: it did so for this crossing, or the
 * crossing was before its time.
 */
export async function quietRule(tx: Statements, ruleId: Uuid): Promise<void> {
  await tx.query(`UPDATE alerts.rules SET quiet_until = ${QUIET_UNTIL} WHERE rule_id = $1`, [
    ruleId,
  ]);
}

/** The next crossing fires. */
export async function armRule(tx: Statements, ruleId: Uuid): Promise<void> {
  await tx.query("UPDATE alerts.rules SET quiet_until = NULL WHERE rule_id = $1", [ruleId]);
}
