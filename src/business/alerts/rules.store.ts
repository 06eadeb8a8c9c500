/** The rules by which an account is alerted, and whether each has fired. */
import {
  ALERT_KINDS,
  MAIL_TO,
  type AlertKind,
  type MailTo,
} from "../../contract/enums/alert-terms.ts";
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";

export interface RuleSettings {
  /** Null: it goes by `percent`. */
  readonly thresholdNano: Nano | null;
  /** Of the subject's limit; null: it goes by an amount. */
  readonly percent: number | null;
  /** Of a spike; null otherwise. */
  readonly factor: number | null;
  /** Whose spend: the account's id, or the budget's of the key or group that is named beside it. */
  readonly subjectId: Uuid;
  readonly keyHash: string | null;
  readonly groupId: Uuid | null;
  readonly enabled: boolean;
  readonly mailTo: MailTo;
  /** Of those who linked a chat. */
  readonly telegramTo: MailTo;
  /** Of either, where it says `members`. */
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

/** Which rule, and whose. */
export type RuleKey = Pick<Rule, "accountId" | "ruleId">;

export type NewRule = RuleSettings & Pick<Rule, "ruleId" | "accountId" | "kind">;

const COLUMNS = `rule_id AS "ruleId", account_id AS "accountId", kind, threshold_nano AS "thresholdNano", percent, factor, subject_id AS "subjectId",
  key_hash AS "keyHash", group_id AS "groupId", enabled, mail_to AS "mailTo", telegram_to AS "telegramTo", member_ids AS "memberIds", webhook_url AS "webhookUrl",
  coalesce(quiet_until > clock_timestamp(), false) AS quiet, fired_at AS "firedAt", created_at AS "createdAt"`;

const KIND = sql.enumOf("alerts.kind", ALERT_KINDS);

const ROW = {
  ruleId: sql.uuid,
  accountId: sql.uuid,
  kind: KIND,
  thresholdNano: sql.nullable(sql.nano),
  percent: sql.nullable(sql.int4),
  factor: sql.nullable(sql.int4),
  subjectId: sql.uuid,
  keyHash: sql.nullable(sql.text),
  groupId: sql.nullable(sql.uuid),
  enabled: sql.bool,
  mailTo: sql.oneOf(MAIL_TO),
  telegramTo: sql.oneOf(MAIL_TO),
  memberIds: sql.array(sql.uuid),
  webhookUrl: sql.nullable(sql.text),
  quiet: sql.bool,
  firedAt: sql.nullable(sql.timestamptz),
  createdAt: sql.timestamptz,
};

/** As `settingParams` gives them. */
const SETTINGS = [
  sql.nullable(sql.nano),
  sql.nullable(sql.int4),
  sql.nullable(sql.int4),
  sql.uuid,
  sql.nullable(sql.text),
  sql.nullable(sql.uuid),
  sql.bool,
  sql.oneOf(MAIL_TO),
  sql.oneOf(MAIL_TO),
  sql.array(sql.uuid),
  sql.nullable(sql.text),
] as const;

const INSERT = statement({
  text: `INSERT INTO alerts.rules (rule_id, account_id, kind, threshold_nano, percent, factor, subject_id, key_hash, group_id, enabled,
       mail_to, telegram_to, member_ids, webhook_url)
     VALUES ($1, $2, $3::alerts.kind, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
  parameters: [sql.uuid, sql.uuid, KIND, ...SETTINGS],
});

export async function insertRule(tx: Queryable, rule: NewRule): Promise<void> {
  await tx.run(INSERT, [rule.ruleId, rule.accountId, rule.kind, ...settingParams(rule)]);
}

const CHANGE = statement({
  text: `UPDATE alerts.rules SET threshold_nano = $3, percent = $4, factor = $5, subject_id = $6, key_hash = $7, group_id = $8, enabled = $9,
       mail_to = $10, telegram_to = $11, member_ids = $12, webhook_url = $13 WHERE account_id = $1 AND rule_id = $2`,
  parameters: [sql.uuid, sql.uuid, ...SETTINGS],
});

/** It is armed anew: the caller says by `quietRule` whether it holds already. */
export async function changeRule(
  tx: Queryable,
  { accountId, ruleId }: RuleKey,
  settings: RuleSettings,
): Promise<void> {
  await tx.run(CHANGE, [accountId, ruleId, ...settingParams(settings)]);
}

function settingParams(rule: RuleSettings) {
  return [
    rule.thresholdNano,
    rule.percent,
    rule.factor,
    rule.subjectId,
    rule.keyHash,
    rule.groupId,
    rule.enabled,
    rule.mailTo,
    rule.telegramTo,
    rule.memberIds,
    rule.webhookUrl,
  ] as const;
}

/** In the order in which they were made. */
export async function rulesOf(q: Queryable, accountId: Uuid): Promise<Rule[]> {
  return rulesOfAll(q, [accountId]);
}

const OF_ACCOUNTS = statement({
  text: `SELECT ${COLUMNS} FROM alerts.rules WHERE account_id = ANY ($1::uuid[]) ORDER BY account_id, rule_id`,
  parameters: [sql.array(sql.uuid)],
  row: ROW,
});

/** Of several accounts. */
export async function rulesOfAll(q: Queryable, accountIds: readonly Uuid[]): Promise<Rule[]> {
  return q.run(OF_ACCOUNTS, [accountIds]);
}

const FIND = statement({
  text: `SELECT ${COLUMNS} FROM alerts.rules WHERE account_id = $1 AND rule_id = $2`,
  parameters: [sql.uuid, sql.uuid],
  row: ROW,
});

/** Null: this account has no such rule. */
export async function findRule(q: Queryable, accountId: Uuid, ruleId: Uuid): Promise<Rule | null> {
  const [row] = await q.run(FIND, [accountId, ruleId]);
  return row ?? null;
}

const DELETE = statement({
  text: "DELETE FROM alerts.rules WHERE account_id = $1 AND rule_id = $2 RETURNING true AS deleted",
  parameters: [sql.uuid, sql.uuid],
  row: { deleted: sql.bool },
});

/** Its deliveries stay in the log. */
export async function deleteRule(q: Queryable, accountId: Uuid, ruleId: Uuid): Promise<boolean> {
  const rows = await q.run(DELETE, [accountId, ruleId]);
  return rows.length === 1;
}

const MOVE = statement({
  text: "UPDATE alerts.rules SET subject_id = $3, key_hash = $4 WHERE account_id = $1 AND key_hash = $2",
  parameters: [sql.uuid, sql.text, sql.uuid, sql.text],
});

/**
 * Those about one key are about another from now on; what has fired for its day or month stays
 * quiet in it.
 */
export async function moveRules(
  tx: Queryable,
  accountId: Uuid,
  fromHash: string,
  to: { readonly keyId: Uuid; readonly hash: string },
): Promise<void> {
  await tx.run(MOVE, [accountId, fromHash, to.keyId, to.hash]);
}

const MOSCOW_DAY = `(date_trunc('day', clock_timestamp() AT TIME ZONE 'Europe/Moscow') + interval '1 day') AT TIME ZONE 'Europe/Moscow'`;
const MOSCOW_MONTH = `(date_trunc('month', clock_timestamp() AT TIME ZONE 'Europe/Moscow') + interval '1 month') AT TIME ZONE 'Europe/Moscow'`;
/**
 * Until the balance is up again; the next period, of a limit its own; an hour after it was last seen
 * above.
 */
const QUIET_UNTIL = `CASE kind WHEN 'balance_below' THEN 'infinity' WHEN 'spend_day' THEN ${MOSCOW_DAY} WHEN 'spend_month' THEN ${MOSCOW_MONTH}
  WHEN 'limit_used' THEN coalesce((SELECT CASE b.period WHEN 'day' THEN ${MOSCOW_DAY} WHEN 'month' THEN ${MOSCOW_MONTH} END
    FROM ledger.budgets b WHERE b.account_id = rules.account_id AND b.budget_id = rules.subject_id), 'infinity')
  ELSE clock_timestamp() + interval '1 hour' END`;

const FIRE = statement({
  text: `UPDATE alerts.rules SET fired_at = clock_timestamp(), quiet_until = ${QUIET_UNTIL}
     WHERE account_id = $1 AND rule_id = $2 AND enabled AND (quiet_until IS NULL OR quiet_until <= clock_timestamp())
     RETURNING true AS fired`,
  parameters: [sql.uuid, sql.uuid],
  row: { fired: sql.bool },
});

/** Fires for this crossing. False: it has already, or is switched off. */
export async function fireRule(tx: Queryable, { accountId, ruleId }: RuleKey): Promise<boolean> {
  const rows = await tx.run(FIRE, [accountId, ruleId]);
  return rows.length === 1;
}

const QUIET = statement({
  text: `UPDATE alerts.rules SET quiet_until = ${QUIET_UNTIL} WHERE account_id = $1 AND rule_id = $2`,
  parameters: [sql.uuid, sql.uuid],
});

/**
 * What it watches is past its threshold, and it says nothing: it did so for this crossing, or the
 * crossing was before its time.
 */
export async function quietRule(tx: Queryable, { accountId, ruleId }: RuleKey): Promise<void> {
  await tx.run(QUIET, [accountId, ruleId]);
}

const ARM = statement({
  text: "UPDATE alerts.rules SET quiet_until = NULL WHERE account_id = $1 AND rule_id = $2",
  parameters: [sql.uuid, sql.uuid],
});

/** The next crossing fires. */
export async function armRule(tx: Queryable, { accountId, ruleId }: RuleKey): Promise<void> {
  await tx.run(ARM, [accountId, ruleId]);
}
