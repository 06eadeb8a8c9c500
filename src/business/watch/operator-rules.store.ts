/** How troubles of the installation are told to operators, and which were (schema `alerts`). */
import {
  OPERATOR_ALERT_KINDS,
  type OperatorAlertKind,
} from "../../contract/enums/operator-alert-kind.ts";
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";

export interface OperatorRule {
  readonly kind: OperatorAlertKind;
  readonly enabled: boolean;
  /** Of the margin. */
  readonly percent: number | null;
  readonly mail: boolean;
  readonly telegram: boolean;
  /** By what it is about: when it was seen last, as an ISO time. */
  readonly notified: Readonly<Record<string, string>>;
  readonly firedAt: Date | null;
}

const COLUMNS = `kind, enabled, percent, mail, telegram, notified, fired_at AS "firedAt"`;
const ROW = {
  kind: sql.oneOf(OPERATOR_ALERT_KINDS),
  enabled: sql.bool,
  percent: sql.nullable(sql.int4),
  mail: sql.bool,
  telegram: sql.bool,
  notified: sql.jsonb.as<Readonly<Record<string, string>>>(),
  firedAt: sql.nullable(sql.timestamptz),
};

const LIST = statement({
  text: `SELECT ${COLUMNS} FROM alerts.operator_rules ORDER BY kind`,
  row: ROW,
});

export async function operatorRules(q: Queryable): Promise<OperatorRule[]> {
  return q.run(LIST, []);
}

const LOCK = statement({
  text: `SELECT ${COLUMNS} FROM alerts.operator_rules WHERE kind = $1 FOR UPDATE`,
  parameters: [sql.oneOf(OPERATOR_ALERT_KINDS)],
  row: ROW,
});

/** No other process tells of this kind, nor changes it, until the transaction ends. */
export async function lockOperatorRule(
  tx: Queryable,
  kind: OperatorAlertKind,
): Promise<OperatorRule> {
  const [row] = await tx.run(LOCK, [kind]);
  if (row === undefined) throw new Error(`there is no rule of the kind ${kind}`);
  return row;
}

const NOTE = statement({
  text: "UPDATE alerts.operator_rules SET notified = $2, fired_at = CASE WHEN $3 THEN clock_timestamp() ELSE fired_at END WHERE kind = $1",
  parameters: [sql.oneOf(OPERATOR_ALERT_KINDS), sql.jsonb, sql.bool],
});

export async function noteTroubles(
  tx: Queryable,
  kind: OperatorAlertKind,
  notified: OperatorRule["notified"],
  fired: boolean,
): Promise<void> {
  await tx.run(NOTE, [kind, JSON.stringify(notified), fired]);
}

const CHANGE = statement({
  text: "UPDATE alerts.operator_rules SET enabled = $2, percent = $3, mail = $4, telegram = $5 WHERE kind = $1",
  parameters: [
    sql.oneOf(OPERATOR_ALERT_KINDS),
    sql.bool,
    sql.nullable(sql.int4),
    sql.bool,
    sql.bool,
  ],
});

export async function changeOperatorRule(
  tx: Queryable,
  { kind, enabled, percent, mail, telegram }: Omit<OperatorRule, "notified" | "firedAt">,
): Promise<void> {
  await tx.run(CHANGE, [kind, enabled, percent, mail, telegram]);
}
