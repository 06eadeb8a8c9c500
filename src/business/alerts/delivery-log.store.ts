/** The log of what alerts sent: webhooks by their own tries, mails by those of the outbox. */
import {
  ALERT_CHANNELS,
  ALERT_KINDS,
  type AlertChannel,
  type AlertKind,
} from "../../contract/enums/alert-terms.ts";
import { DELIVERY_STATES, type DeliveryState } from "../../contract/enums/delivery-state.ts";
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";

export interface LoggedDelivery {
  readonly deliveryId: Uuid;
  readonly ruleId: Uuid | null;
  readonly kind: AlertKind;
  readonly channel: AlertChannel;
  readonly target: string;
  readonly test: boolean;
  readonly state: DeliveryState;
  readonly firedAt: Date;
  readonly valueNano: Nano;
  readonly thresholdNano: Nano;
  readonly attempts: number;
  readonly lastAt: Date | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly dueAt: Date | null;
}

// The outboxes forget a mail or a message some time after it is out: one that is not there any more
// was sent.
const LOG = statement({
  text: `
  SELECT d.delivery_id AS "deliveryId", d.rule_id AS "ruleId", d.kind, d.channel, d.target, d.test,
    CASE WHEN d.channel = 'webhook' THEN CASE WHEN d.delivered_at IS NOT NULL THEN 'delivered' WHEN d.due_at IS NULL THEN 'given_up' ELSE 'pending' END
         WHEN coalesce(m.failed_at, t.failed_at) IS NOT NULL THEN 'given_up'
         WHEN m.mail_id IS NULL AND t.message_id IS NULL OR coalesce(m.sent_at, t.sent_at) IS NOT NULL THEN 'delivered' ELSE 'pending' END AS state,
    d.fired_at AS "firedAt", d.value_nano AS "valueNano", d.threshold_nano AS "thresholdNano",
    CASE d.channel WHEN 'webhook' THEN d.tries ELSE coalesce(m.attempts, t.attempts, 1) END AS attempts,
    CASE d.channel WHEN 'webhook' THEN d.last_at ELSE coalesce(m.sent_at, m.failed_at, t.sent_at, t.failed_at) END AS "lastAt", d.last_status AS "lastStatus",
    coalesce(d.last_error, m.last_error, t.last_error) AS "lastError",
    CASE WHEN d.channel = 'webhook' THEN d.due_at WHEN coalesce(m.sent_at, m.failed_at, t.sent_at, t.failed_at) IS NULL THEN coalesce(m.due_at, t.due_at) END AS "dueAt"
  FROM alerts.deliveries d LEFT JOIN mail.outbox m USING (mail_id) LEFT JOIN telegram.messages t USING (message_id)
  WHERE d.account_id = $1 AND ($2::uuid IS NULL OR d.delivery_id < $2) AND ($3::uuid IS NULL OR d.rule_id = $3)
  ORDER BY d.delivery_id DESC LIMIT $4`,
  parameters: [sql.uuid, sql.nullable(sql.uuid), sql.nullable(sql.uuid), sql.whole],
  row: {
    deliveryId: sql.uuid,
    ruleId: sql.nullable(sql.uuid),
    kind: sql.enumOf("alerts.kind", ALERT_KINDS),
    channel: sql.enumOf("alerts.channel", ALERT_CHANNELS),
    target: sql.text,
    test: sql.bool,
    state: sql.oneOf(DELIVERY_STATES),
    firedAt: sql.timestamptz,
    valueNano: sql.nano,
    thresholdNano: sql.nano,
    attempts: sql.int4,
    lastAt: sql.nullable(sql.timestamptz),
    lastStatus: sql.nullable(sql.int4),
    lastError: sql.nullable(sql.text),
    dueAt: sql.nullable(sql.timestamptz),
  },
});

/** Newest first; `before` is the id of the last one of the page before. */
export function listDeliveries(
  q: Queryable,
  page: {
    readonly accountId: Uuid;
    readonly before: Uuid | null;
    readonly ruleId: Uuid | null;
    readonly limit: number;
  },
): Promise<LoggedDelivery[]> {
  return q.run(LOG, [page.accountId, page.before, page.ruleId, page.limit]);
}
