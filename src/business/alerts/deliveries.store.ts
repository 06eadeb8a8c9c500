/**
 * What is sent when a rule fires: mails and messages, which wait in outboxes of their own, and
 * webhooks, which are claimed, tried and tried again.
 */
import {
  ALERT_CHANNELS,
  ALERT_KINDS,
  type AlertChannel,
  type AlertKind,
} from "../../contract/enums/alert-terms.ts";
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";

export interface NewDelivery {
  readonly deliveryId: Uuid;
  readonly accountId: Uuid;
  readonly ruleId: Uuid;
  readonly kind: AlertKind;
  /** An e-mail address, or an address to post to; by Telegram the e-mail address of who reads it. */
  readonly target: string;
  readonly test: boolean;
  readonly valueNano: Nano;
  readonly thresholdNano: Nano;
  readonly by: {
    readonly [Channel in AlertChannel]: { readonly channel: Channel } & Sent[Channel];
  }[AlertChannel];
}

/** What is kept of a delivery, by its channel. */
interface Sent {
  readonly mail: { readonly mailId: Uuid };
  readonly webhook: { readonly body: string };
  readonly telegram: { readonly messageId: Uuid };
}

const INSERT = statement({
  text: `INSERT INTO alerts.deliveries (delivery_id, account_id, rule_id, kind, channel, target, test, value_nano, threshold_nano, mail_id, body, message_id, due_at)
     VALUES ($1, $2, $3, $4::alerts.kind, $5::alerts.channel, $6, $7, $8, $9, $10, $11, $12,
       CASE $5::alerts.channel WHEN 'webhook' THEN clock_timestamp() END)`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.uuid,
    sql.enumOf("alerts.kind", ALERT_KINDS),
    sql.enumOf("alerts.channel", ALERT_CHANNELS),
    sql.text,
    sql.bool,
    sql.nano,
    sql.nano,
    sql.nullable(sql.uuid),
    sql.nullable(sql.text),
    sql.nullable(sql.uuid),
  ],
});

/** A webhook is due at once. */
export async function insertDelivery(tx: Queryable, delivery: NewDelivery): Promise<void> {
  const { by } = delivery;
  await tx.run(INSERT, [
    delivery.deliveryId,
    delivery.accountId,
    delivery.ruleId,
    delivery.kind,
    by.channel,
    delivery.target,
    delivery.test,
    delivery.valueNano,
    delivery.thresholdNano,
    by.channel === "mail" ? by.mailId : null,
    by.channel === "webhook" ? by.body : null,
    by.channel === "telegram" ? by.messageId : null,
  ]);
}

const COUNT_TESTS = statement({
  text: "SELECT count(*)::int AS n FROM alerts.deliveries WHERE account_id = $1 AND test AND fired_at > clock_timestamp() - interval '1 hour'",
  parameters: [sql.uuid],
  row: { n: sql.int4 },
});

/** How many tests an account sent in the last hour. */
export async function countTests(q: Queryable, accountId: Uuid): Promise<number> {
  const [row] = await q.run(COUNT_TESTS, [accountId]);
  return row?.n ?? 0;
}

/** Which delivery, and whose. */
export type AlertKey = Pick<DueAlert, "accountId" | "webhookId">;

export interface DueAlert {
  readonly webhookId: Uuid;
  readonly accountId: Uuid;
  readonly url: string;
  /** Whose server that is: host and port. */
  readonly host: string;
  /** Those before this one. */
  readonly tries: number;
  readonly body: string;
}

const CLAIM = statement({
  text: `UPDATE alerts.deliveries d SET due_at = clock_timestamp() + $3 * interval '1 millisecond'
     FROM (SELECT account_id, delivery_id FROM (
             SELECT account_id, delivery_id, due_at, row_number() OVER (PARTITION BY host ORDER BY due_at) AS turn
             FROM alerts.deliveries WHERE due_at <= statement_timestamp()) t
           WHERE turn <= $2 ORDER BY due_at LIMIT $1) due
     WHERE d.account_id = due.account_id AND d.delivery_id = due.delivery_id AND d.due_at <= statement_timestamp()
     RETURNING d.delivery_id AS "webhookId", d.account_id AS "accountId", d.target AS url, d.host, d.tries, d.body`,
  parameters: [sql.whole, sql.whole, sql.float8],
  row: {
    webhookId: sql.uuid,
    accountId: sql.uuid,
    url: sql.text,
    host: sql.text,
    tries: sql.int4,
    body: sql.present(sql.text),
  },
});

/**
 * Webhooks that this process shall send now, at most `perHost` to one server. If it does not say
 * within `claimMs` what became of one, another will.
 */
export async function claimAlerts(
  q: Queryable,
  claim: { readonly limit: number; readonly perHost: number; readonly claimMs: number },
): Promise<DueAlert[]> {
  return q.run(CLAIM, [claim.limit, claim.perHost, claim.claimMs]);
}

const RELEASE = statement({
  text: "UPDATE alerts.deliveries SET due_at = clock_timestamp() WHERE account_id = $1 AND delivery_id = $2 AND due_at IS NOT NULL",
  parameters: [sql.uuid, sql.uuid],
});

/** Gives back what was claimed and not tried: due now. */
export async function releaseAlert(
  q: Queryable,
  { accountId, webhookId }: AlertKey,
): Promise<void> {
  await q.run(RELEASE, [accountId, webhookId]);
}

const NOTE_TRY = statement({
  text: `UPDATE alerts.deliveries SET tries = tries + 1, last_at = clock_timestamp(), last_status = $3, last_error = $4,
       delivered_at = CASE WHEN $5 THEN clock_timestamp() END, due_at = clock_timestamp() + $6 * interval '1 millisecond'
     WHERE account_id = $1 AND delivery_id = $2 AND due_at IS NOT NULL`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.nullable(sql.int4),
    sql.nullable(sql.text),
    sql.bool,
    sql.nullable(sql.float8),
  ],
});

/** `againInMs`: null when it is over. */
export async function noteAlertTry(
  q: Queryable,
  { accountId, webhookId }: AlertKey,
  tried: {
    readonly status: number | null;
    readonly error: string | null;
    readonly delivered: boolean;
    readonly againInMs: number | null;
  },
): Promise<void> {
  const { status, error, delivered, againInMs } = tried;
  await q.run(NOTE_TRY, [accountId, webhookId, status, error, delivered, againInMs]);
}

const SWEEP = statement({
  text: "DELETE FROM alerts.deliveries WHERE due_at IS NULL AND fired_at < statement_timestamp() - $1 * interval '1 day'",
  parameters: [sql.float8],
});

/** The log does not go back further. */
export async function sweepDeliveries(q: Queryable, keptDays: number): Promise<void> {
  await q.run(SWEEP, [keptDays]);
}
