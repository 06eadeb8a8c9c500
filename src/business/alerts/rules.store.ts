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

/** Which rule, and whose. */
export type RuleKey = Pick<Rule, "accountId" | "ruleId">;

export type NewRule = RuleSettings & Pick<Rule, "ruleId" | "accountId" | "kind">;

const COLUMNS = `rule_id AS "ruleId", account_id AS "accountId", kind, threshold_nano AS "thresholdNano", factor, subject_id AS "subjectId",
  key_hash AS "keyHash", enabled, mail_to AS "mailTo", member_ids AS "memberIds", webhook_url AS "webhookUrl",
  coalesce(quiet_until > clock_timestamp(), false) AS quiet, fired_at AS "firedAt", created_at AS "createdAt"`;

const KIND = sql.enumOf("alerts.kind", ALERT_KINDS);

const ROW = {
  ruleId: sql.uuid,
  accountId: sql.uuid,
  kind: KIND,
  thresholdNano: sql.nano,
  factor: sql.nullable(sql.int4),
  subjectId: sql.uuid,
  keyHash: sql.nullable(sql.text),
  enabled: sql.bool,
  mailTo: sql.oneOf(MAIL_TO),
  memberIds: sql.array(sql.uuid),
  webhookUrl: sql.nullable(sql.text),
  quiet: sql.bool,
  firedAt: sql.nullable(sql.timestamptz),
  createdAt: sql.timestamptz,
};

/** As `settingParams` gives them. */
const SETTINGS = [
  sql.nano,
  sql.nullable(sql.int4),
  sql.uuid,
  sql.nullable(sql.text),
  sql.bool,
  sql.oneOf(MAIL_TO),
  sql.array(sql.uuid),
  sql.nullable(sql.text),
] as const;

const INSERT = statement({
  text: `INSERT INTO alerts.rules (rule_id, account_id, kind, threshold_nano, factor, subject_id, key_hash, enabled, mail_to, member_ids, webhook_url)
     VALUES ($1, $2, $3::alerts.kind, $4, $5, $6, $7, $8, $9, $10, $11)`,
  parameters: [sql.uuid, sql.uuid, KIND, ...SETTINGS],
});

export async function insertRule(tx: Queryable, rule: NewRule): Promise<void> {
  await tx.run(INSERT, [rule.ruleId, rule.accountId, rule.kind, ...settingParams(rule)]);
}

const CHANGE = statement({
  text: `UPDATE alerts.rules SET threshold_nano = $3, factor = $4, subject_id = $5, key_hash = $6, enabled = $7, mail_to = $8, member_ids = $9,
       webhook_url = $10 WHERE account_id = $1 AND rule_id = $2`,
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
  const { thresholdNano, factor, subjectId, keyHash, enabled, mailTo, memberIds, webhookUrl } =
    rule;
  return [
    thresholdNano,
    factor,
    subjectId,
    keyHash,
    enabled,
    mailTo,
    memberIds,
    webhookUrl,
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
/** Until the balance is up again; the next period; an hour after it was last seen above. */
const QUIET_UNTIL = `CASE kind WHEN 'balance_below' THEN 'infinity' WHEN 'spend_day' THEN ${MOSCOW_DAY} WHEN 'spend_month' THEN ${MOSCOW_MONTH}
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
