/** Refunds of payments by operators, from their row to their end. */
import type { PaymentProviderName } from "../../contract/enums/payment-provider.ts";
import { REFUND_STATES, type RefundState } from "../../contract/enums/refund-state.ts";
import type { ReceiptTerms } from "../../contract/receipt-terms.ts";
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import { assert } from "../../kernel/assert.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";

/** Which refund, and of whose payment. */
export interface RefundKey {
  readonly accountId: Uuid;
  /** Also the idempotence key at the provider. */
  readonly refundId: Uuid;
}

export interface NewRefund extends RefundKey {
  readonly paymentId: Uuid;
  /** Of the one who asks: the same again is the same refund. */
  readonly ref: string;
  readonly provider: PaymentProviderName;
  /** Kopecks at most. */
  readonly amountNano: Nano;
  /** The operator's words. */
  readonly reason: string;
  /** The operator, as the audit log names them. */
  readonly actor: string;
  /** Where the receipt goes. */
  readonly email: string | null;
  /** What its fiscal receipt says; null: there is none. */
  readonly receipt: ReceiptTerms | null;
  /** Of the ledger: what took the money. */
  readonly entryId: Uuid;
}

export interface Refund extends NewRefund {
  readonly state: RefundState;
  readonly providerRefundId: string | null;
  /** Why it was not made. */
  readonly failure: string | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  /** When it is asked next: moved by each that asks, so it tells whether another one does. */
  readonly dueAt: Date | null;
  /** How often the provider was asked since it last told something new. */
  readonly reads: number;
  /** By the database's clock. */
  readonly ageSeconds: number;
}

const COLUMNS = `account_id AS "accountId", refund_id AS "refundId", payment_id AS "paymentId", ref, provider, amount_nano AS "amountNano", state,
  provider_refund_id AS "providerRefundId", reason, actor, email, receipt, failure, entry_id AS "entryId", created_at AS "createdAt",
  ended_at AS "endedAt", due_at AS "dueAt", reads, extract(epoch FROM clock_timestamp() - created_at)::float8 AS "ageSeconds"`;

const ROW = {
  accountId: sql.uuid,
  refundId: sql.uuid,
  paymentId: sql.uuid,
  ref: sql.text,
  provider: sql.text.as<PaymentProviderName>(),
  amountNano: sql.nano,
  state: sql.enumOf("payments.refund_state", REFUND_STATES),
  providerRefundId: sql.nullable(sql.text),
  reason: sql.text,
  actor: sql.text,
  email: sql.nullable(sql.text),
  receipt: sql.nullable(sql.jsonb.as<ReceiptTerms>()),
  failure: sql.nullable(sql.text),
  entryId: sql.uuid,
  createdAt: sql.timestamptz,
  endedAt: sql.nullable(sql.timestamptz),
  dueAt: sql.nullable(sql.timestamptz),
  reads: sql.int4,
  ageSeconds: sql.float8,
};

// The payment's row has a wall: no more is refunded than was paid.
const INSERT = statement({
  text: `WITH counted AS (
       UPDATE payments.payments SET refunds_nano = refunds_nano + $6 WHERE account_id = $1 AND payment_id = $3 RETURNING true AS done)
     INSERT INTO payments.refunds (account_id, refund_id, payment_id, ref, provider, amount_nano, reason, actor, email, receipt, entry_id, due_at)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11, clock_timestamp() + $12 * interval '1 millisecond' FROM counted
     RETURNING true AS done`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.uuid,
    sql.text,
    sql.text,
    sql.nano,
    sql.text,
    sql.text,
    sql.nullable(sql.text),
    sql.nullable(sql.jsonb),
    sql.uuid,
    sql.float8,
  ],
  row: { done: sql.bool },
});

/**
 * In the transaction that takes its money, after lockPayment. `dueInMs`: when the provider is asked
 * by any process that works, if the one that began it does not come back to it.
 */
export async function insertRefund(
  tx: Queryable,
  refund: NewRefund,
  dueInMs: number,
): Promise<void> {
  const written = await tx.run(INSERT, [
    refund.accountId,
    refund.refundId,
    refund.paymentId,
    refund.ref,
    refund.provider,
    refund.amountNano,
    refund.reason,
    refund.actor,
    refund.email,
    refund.receipt === null ? null : JSON.stringify(refund.receipt),
    refund.entryId,
    dueInMs,
  ]);
  assert(written.length === 1, "the payment of a refund is there");
}

const FIND = statement({
  text: `SELECT ${COLUMNS} FROM payments.refunds WHERE account_id = $1 AND refund_id = $2`,
  parameters: [sql.uuid, sql.uuid],
  row: ROW,
});

/** Null: the account has no such refund. */
export async function findRefund(
  q: Queryable,
  { accountId, refundId }: RefundKey,
): Promise<Refund | null> {
  const [row] = await q.run(FIND, [accountId, refundId]);
  return row ?? null;
}

const FIND_REF = statement({
  text: `SELECT ${COLUMNS} FROM payments.refunds WHERE account_id = $1 AND ref = $2`,
  parameters: [sql.uuid, sql.text],
  row: ROW,
});

/** The one that was asked for by this name; null: none was. */
export async function findRefundByRef(
  q: Queryable,
  accountId: Uuid,
  ref: string,
): Promise<Refund | null> {
  const [row] = await q.run(FIND_REF, [accountId, ref]);
  return row ?? null;
}

const OF_PAYMENT = statement({
  text: `SELECT ${COLUMNS} FROM payments.refunds WHERE account_id = $1 AND payment_id = $2 ORDER BY refund_id DESC LIMIT 100`,
  parameters: [sql.uuid, sql.uuid],
  row: ROW,
});

/** Newest first, a hundred at most. */
export async function listRefunds(
  q: Queryable,
  { accountId, paymentId }: { readonly accountId: Uuid; readonly paymentId: Uuid },
): Promise<Refund[]> {
  return q.run(OF_PAYMENT, [accountId, paymentId]);
}

// Leaves alone what is due by now, as that of payments does.
const NOTE_PENDING = statement({
  text: `UPDATE payments.refunds SET provider_refund_id = $3, state = 'pending', reads = CASE WHEN state = 'created' THEN 0 ELSE reads + 1 END,
       due_at = CASE WHEN due_at <= clock_timestamp() THEN due_at ELSE clock_timestamp() + $4 * interval '1 millisecond' END
     WHERE account_id = $1 AND refund_id = $2 AND state IN ('created', 'pending') AND coalesce(provider_refund_id, $3) = $3`,
  parameters: [sql.uuid, sql.uuid, sql.text, sql.float8],
});

/** The provider works at it. Changes nothing that has gone on since. */
export async function noteRefundPending(
  q: Queryable,
  { accountId, refundId }: RefundKey,
  noted: { readonly providerRefundId: string; readonly dueInMs: number },
): Promise<void> {
  await q.run(NOTE_PENDING, [accountId, refundId, noted.providerRefundId, noted.dueInMs]);
}

// The payment is read anew: only its provider says what was refunded of it in all. Until then it is known to be this much.
const MARK_SUCCEEDED = statement({
  text: `WITH ended AS (
       UPDATE payments.refunds SET state = 'succeeded', provider_refund_id = $3, ended_at = clock_timestamp(), reads = 0, due_at = NULL
       WHERE account_id = $1 AND refund_id = $2 AND state IN ('created', 'pending') RETURNING account_id, payment_id, amount_nano),
     earlier AS (
       SELECT coalesce(sum(r.amount_nano), 0)::bigint AS nano FROM payments.refunds r, ended e
       WHERE r.account_id = e.account_id AND r.payment_id = e.payment_id AND r.state = 'succeeded')
     UPDATE payments.payments p SET due_at = least(p.due_at, clock_timestamp()), reads = 0,
       refunded_nano = greatest(p.refunded_nano, p.refunded_elsewhere_nano + earlier.nano + ended.amount_nano)
     FROM ended, earlier WHERE p.account_id = ended.account_id AND p.payment_id = ended.payment_id RETURNING true AS done`,
  parameters: [sql.uuid, sql.uuid, sql.text],
  row: { done: sql.bool },
});

/** After lockPayment. Returns whether it was this call that ended it. */
export async function markRefunded(
  tx: Queryable,
  { accountId, refundId }: RefundKey,
  providerRefundId: string,
): Promise<boolean> {
  const rows = await tx.run(MARK_SUCCEEDED, [accountId, refundId, providerRefundId]);
  return rows.length === 1;
}

const MARK_CANCELED = statement({
  text: `WITH ended AS (
       UPDATE payments.refunds SET state = 'canceled', provider_refund_id = coalesce($3, provider_refund_id), failure = $4, returned_entry_id = $5,
         ended_at = clock_timestamp(), reads = 0, due_at = NULL
       WHERE account_id = $1 AND refund_id = $2 AND state IN ('created', 'pending') RETURNING account_id, payment_id, amount_nano)
     UPDATE payments.payments p SET due_at = least(p.due_at, clock_timestamp()), reads = 0, refunds_nano = p.refunds_nano - ended.amount_nano
     FROM ended WHERE p.account_id = ended.account_id AND p.payment_id = ended.payment_id RETURNING true AS done`,
  parameters: [sql.uuid, sql.uuid, sql.nullable(sql.text), sql.text, sql.uuid],
  row: { done: sql.bool },
});

/** After lockPayment, in the transaction that gives its money back: it has not ended before. */
export async function markRefundCanceled(
  tx: Queryable,
  { accountId, refundId }: RefundKey,
  end: {
    readonly providerRefundId: string | null;
    readonly failure: string;
    /** Of the ledger: what gave the money back. */
    readonly entryId: Uuid;
  },
): Promise<void> {
  const { providerRefundId, failure, entryId } = end;
  const rows = await tx.run(MARK_CANCELED, [
    accountId,
    refundId,
    providerRefundId,
    failure,
    entryId,
  ]);
  assert(rows.length === 1, "a refund ends once");
}
