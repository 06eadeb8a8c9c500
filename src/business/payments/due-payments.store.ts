/** Payments that their provider is to be asked about: which are due, and when they are again. */
import type { PaymentProviderName } from "../../contract/enums/payment-provider.ts";
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { PaymentKey } from "./payments.store.ts";

const PROVIDER = sql.text.as<PaymentProviderName>();

const CLAIM = statement({
  text: `UPDATE payments.payments p SET due_at = clock_timestamp() + $3 * interval '1 millisecond'
     FROM (SELECT account_id, payment_id FROM payments.payments WHERE due_at <= statement_timestamp() AND provider = $1
           ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED) d
     WHERE p.account_id = d.account_id AND p.payment_id = d.payment_id RETURNING p.account_id AS "accountId", p.payment_id AS "paymentId"`,
  parameters: [PROVIDER, sql.whole, sql.float8],
  row: { accountId: sql.uuid, paymentId: sql.uuid },
});

/**
 * Those whose provider is to be asked now. If this process does not come back to one within
 * `claimMs`, another will ask.
 */
export async function claimPayments(
  q: Queryable,
  claim: {
    readonly provider: PaymentProviderName;
    readonly limit: number;
    readonly claimMs: number;
  },
): Promise<PaymentKey[]> {
  return q.run(CLAIM, [claim.provider, claim.limit, claim.claimMs]);
}

const WAKE = statement({
  text: `UPDATE payments.payments p SET due_at = least(p.due_at, clock_timestamp()), reads = 0
     FROM directory.payments d
     WHERE d.provider = $1 AND (d.provider_payment_id = $2 OR (d.provider_payment_id IS NULL AND d.payment_id = $3))
       AND p.account_id = d.account_id AND p.payment_id = d.payment_id RETURNING true AS woken`,
  parameters: [PROVIDER, sql.nullable(sql.text), sql.nullable(sql.uuid)],
  row: { woken: sql.bool },
});

/**
 * Has the provider asked now, because it reported something. Reports name a payment by its id there
 * or, where that is not known here yet, by ours. Returns whether one of this provider's was meant;
 * asking sooner is all that a report can do.
 */
export async function wakePayment(
  q: Queryable,
  report: {
    readonly provider: PaymentProviderName;
    readonly providerPaymentId: string | null;
    readonly paymentId: Uuid | null;
  },
): Promise<boolean> {
  const rows = await q.run(WAKE, [report.provider, report.providerPaymentId, report.paymentId]);
  return rows.length > 0;
}

// Leaves alone what is due by now: the provider reported something while it was asked, and is asked
// again.
const NOTE_READ = statement({
  text: `UPDATE payments.payments SET reads = reads + 1,
       due_at = CASE WHEN due_at <= clock_timestamp() THEN due_at ELSE clock_timestamp() + $3 * interval '1 millisecond' END
     WHERE account_id = $1 AND payment_id = $2`,
  parameters: [sql.uuid, sql.uuid, sql.nullable(sql.float8)],
});

/** Nothing new was told: asks again later, or (null) only when the provider reports. */
export async function noteRead(
  q: Queryable,
  { accountId, paymentId }: PaymentKey,
  dueInMs: number | null,
): Promise<void> {
  await q.run(NOTE_READ, [accountId, paymentId, dueInMs]);
}

const COUNT_DUE = statement({
  text: `SELECT count(*) FILTER (WHERE state IN ('created', 'pending'))::int AS open,
       (count(*) FILTER (WHERE due_at < clock_timestamp() - interval '1 minute')
         + (SELECT count(*) FROM payments.refunds r WHERE r.due_at < clock_timestamp() - interval '1 minute'))::int AS late
     FROM payments.payments WHERE due_at IS NOT NULL`,
  row: { open: sql.int4, late: sql.int4 },
});

/** How many wait to be asked about; and how many, refunds included, should have been a minute ago. */
export async function countDue(
  q: Queryable,
): Promise<{ readonly open: number; readonly late: number }> {
  const [row] = await q.run(COUNT_DUE, []);
  return row ?? { open: 0, late: 0 };
}

const COUNT_UNMATCHED = statement({
  text: `SELECT count(*)::int AS n FROM payments.payments
     WHERE reason = 'mismatch' AND ended_at >= clock_timestamp() - $1 * interval '1 day'`,
  parameters: [sql.float8],
  row: { n: sql.int4 },
});

/** Those that were paid otherwise than they were begun, in the last so many days. */
export async function countUnmatched(q: Queryable, days: number): Promise<number> {
  const [row] = await q.run(COUNT_UNMATCHED, [days]);
  return row?.n ?? 0;
}
