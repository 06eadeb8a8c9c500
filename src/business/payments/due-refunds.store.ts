/** Refunds that their provider is to be asked about: which are due, and when they are again. */
import type { PaymentProviderName } from "../../contract/enums/payment-provider.ts";
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { RefundKey } from "./refunds.store.ts";

const PROVIDER = sql.text.as<PaymentProviderName>();

const CLAIM = statement({
  text: `UPDATE payments.refunds r SET due_at = clock_timestamp() + $3 * interval '1 millisecond'
     FROM (SELECT account_id, refund_id FROM payments.refunds WHERE due_at <= statement_timestamp() AND provider = $1
           ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED) d
     WHERE r.account_id = d.account_id AND r.refund_id = d.refund_id RETURNING r.account_id AS "accountId", r.refund_id AS "refundId"`,
  parameters: [PROVIDER, sql.whole, sql.float8],
  row: { accountId: sql.uuid, refundId: sql.uuid },
});

/** As `claimPayments`: if this process does not come back to one, another asks. */
export async function claimRefunds(
  q: Queryable,
  claim: {
    readonly provider: PaymentProviderName;
    readonly limit: number;
    readonly claimMs: number;
  },
): Promise<RefundKey[]> {
  return q.run(CLAIM, [claim.provider, claim.limit, claim.claimMs]);
}

const WAKE = statement({
  text: `UPDATE payments.refunds r SET due_at = clock_timestamp(), reads = 0 FROM directory.payments d
     WHERE d.provider = $1 AND d.provider_payment_id = $2 AND r.account_id = d.account_id AND r.payment_id = d.payment_id
       AND r.state = 'pending'`,
  parameters: [PROVIDER, sql.text],
});

/**
 * Has the provider asked now about refunds that it works at, because it reported something of their
 * payment. One that it was not asked for yet keeps to the process that is asking.
 */
export async function wakeRefunds(
  q: Queryable,
  provider: PaymentProviderName,
  providerPaymentId: string,
): Promise<void> {
  await q.run(WAKE, [provider, providerPaymentId]);
}

const NOTE_READ = statement({
  text: `UPDATE payments.refunds SET reads = reads + 1,
       due_at = CASE WHEN due_at <= clock_timestamp() THEN due_at ELSE clock_timestamp() + $3 * interval '1 millisecond' END
     WHERE account_id = $1 AND refund_id = $2 AND state IN ('created', 'pending')`,
  parameters: [sql.uuid, sql.uuid, sql.nullable(sql.float8)],
});

/** Nothing new was told: asks again later, or (null) only when the provider reports. */
export async function noteRefundRead(
  q: Queryable,
  { accountId, refundId }: RefundKey,
  dueInMs: number | null,
): Promise<void> {
  await q.run(NOTE_READ, [accountId, refundId, dueInMs]);
}

const COUNT = statement({
  text: `SELECT count(*)::int AS n FROM payments.refunds WHERE due_at IS NOT NULL`,
  row: { n: sql.int4 },
});

/** How many have not ended. */
export async function countOpenRefunds(q: Queryable): Promise<number> {
  const [row] = await q.run(COUNT, []);
  return row?.n ?? 0;
}
