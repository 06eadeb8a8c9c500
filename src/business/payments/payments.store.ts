/** Payments by which accounts are topped up, from their row to their end. */
import type { Language } from "../../contract/enums/language.ts";
import type { PaymentProviderName } from "../../contract/enums/payment-provider.ts";
import { TOP_UP_STATES } from "../../contract/enums/top-up-state.ts";
import type { PaymentMethod, TopUp } from "../../contract/panel/top-up.ts";
import type { ReceiptTerms } from "../../contract/receipt-terms.ts";
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import { isUuid, type Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";

/** Which payment, and whose. */
export interface PaymentKey {
  readonly accountId: Uuid;
  /** Also the idempotence key at the provider. */
  readonly paymentId: Uuid;
}

export interface NewPayment extends PaymentKey {
  readonly memberId: Uuid | null;
  readonly email: string | null;
  readonly provider: PaymentProviderName;
  readonly method: PaymentMethod;
  readonly locale: Language;
  /** Kopecks at most. */
  readonly amountNano: Nano;
  /** Where the browser comes back to. */
  readonly returnUrl: string;
  /**
   * What the fiscal receipt says, as of its beginning: the provider is asked for the same each
   * time. Null: there is none.
   */
  readonly receipt: ReceiptTerms | null;
}

export interface Payment extends NewPayment {
  readonly state: TopUp["state"];
  readonly providerPaymentId: string | null;
  readonly redirectUrl: string | null;
  readonly reason: string | null;
  /** As its provider tells, wherever it was refunded. */
  readonly refundedNano: Nano;
  /** Of that, what was refunded at the provider's own site. */
  readonly refundedElsewhereNano: Nano;
  /** By operators here, what is not over included. */
  readonly refundsNano: Nano;
  readonly entryId: Uuid | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  /** How often the provider was asked since it last told something new. */
  readonly reads: number;
  /** By the database's clock. */
  readonly ageSeconds: number;
}

const COLUMNS = `payment_id AS "paymentId", account_id AS "accountId", member_id AS "memberId", email, provider, method, locale,
  amount_nano AS "amountNano", return_url AS "returnUrl", receipt, state, provider_payment_id AS "providerPaymentId", redirect_url AS "redirectUrl", reason,
  refunded_nano AS "refundedNano", refunded_elsewhere_nano AS "refundedElsewhereNano", refunds_nano AS "refundsNano", entry_id AS "entryId", created_at AS "createdAt", ended_at AS "endedAt", reads,
  extract(epoch FROM clock_timestamp() - created_at)::float8 AS "ageSeconds"`;

const STATE = sql.enumOf("payments.state", TOP_UP_STATES);

const ROW = {
  paymentId: sql.uuid,
  accountId: sql.uuid,
  memberId: sql.nullable(sql.uuid),
  email: sql.nullable(sql.text),
  provider: sql.text.as<PaymentProviderName>(),
  method: sql.text.as<PaymentMethod>(),
  locale: sql.text.as<Language>(),
  amountNano: sql.nano,
  returnUrl: sql.text,
  receipt: sql.nullable(sql.jsonb.as<ReceiptTerms>()),
  state: STATE,
  providerPaymentId: sql.nullable(sql.text),
  redirectUrl: sql.nullable(sql.text),
  reason: sql.nullable(sql.text),
  refundedNano: sql.nano,
  refundedElsewhereNano: sql.nano,
  refundsNano: sql.nano,
  entryId: sql.nullable(sql.uuid),
  createdAt: sql.timestamptz,
  endedAt: sql.nullable(sql.timestamptz),
  reads: sql.int4,
  ageSeconds: sql.float8,
};

const INSERT = statement({
  text: `WITH known AS (INSERT INTO directory.payments (payment_id, account_id, provider) VALUES ($1, $2, $5))
     INSERT INTO payments.payments (payment_id, account_id, member_id, email, provider, method, locale, amount_nano, return_url, receipt, due_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, clock_timestamp() + $11 * interval '1 millisecond')`,
  parameters: [
    sql.uuid,
    sql.uuid,
    sql.nullable(sql.uuid),
    sql.nullable(sql.text),
    sql.text,
    sql.text,
    sql.text,
    sql.nano,
    sql.text,
    sql.nullable(sql.jsonb),
    sql.float8,
  ],
});

/**
 * `dueInMs`: when the provider is asked by any process that works, if the one that began it does
 * not come back to it.
 */
export async function insertPayment(
  tx: Queryable,
  payment: NewPayment,
  dueInMs: number,
): Promise<void> {
  const { paymentId, accountId, memberId, email, provider, method, locale, amountNano, returnUrl } =
    payment;
  const receipt = payment.receipt === null ? null : JSON.stringify(payment.receipt);
  await tx.run(INSERT, [
    paymentId,
    accountId,
    memberId,
    email,
    provider,
    method,
    locale,
    amountNano,
    returnUrl,
    receipt,
    dueInMs,
  ]);
}

const COUNT_OPEN = statement({
  text: "SELECT count(*)::int AS n FROM payments.payments WHERE account_id = $1 AND state IN ('created', 'pending')",
  parameters: [sql.uuid],
  row: { n: sql.int4 },
});

/** Those that have not ended. */
export async function countOpenPayments(q: Queryable, accountId: Uuid): Promise<number> {
  const [row] = await q.run(COUNT_OPEN, [accountId]);
  return row?.n ?? 0;
}

const FIND = statement({
  text: `SELECT ${COLUMNS} FROM payments.payments WHERE account_id = $1 AND payment_id = $2`,
  parameters: [sql.uuid, sql.uuid],
  row: ROW,
});

/** Null: the account has no such payment. */
export async function findPayment(
  q: Queryable,
  { accountId, paymentId }: PaymentKey,
): Promise<Payment | null> {
  const [row] = await q.run(FIND, [accountId, paymentId]);
  return row ?? null;
}

const LOCK = statement({
  text: `SELECT ${COLUMNS} FROM payments.payments WHERE account_id = $1 AND payment_id = $2 FOR UPDATE`,
  parameters: [sql.uuid, sql.uuid],
  row: ROW,
});

/** The transaction that holds it decides alone about its state, until it ends. */
export async function lockPayment(
  tx: Queryable,
  { accountId, paymentId }: PaymentKey,
): Promise<Payment | null> {
  const [row] = await tx.run(LOCK, [accountId, paymentId]);
  return row ?? null;
}

const LIST = statement({
  text: `SELECT ${COLUMNS} FROM payments.payments WHERE account_id = $1 AND ($2::uuid IS NULL OR payment_id < $2) ORDER BY payment_id DESC LIMIT $3`,
  parameters: [sql.uuid, sql.nullable(sql.uuid), sql.whole],
  row: ROW,
});

/** Newest first; `before` is the id of the last one of the page before. */
export async function listPayments(
  q: Queryable,
  page: { accountId: Uuid; before: Uuid | null; limit: number },
): Promise<Payment[]> {
  return q.run(LIST, [page.accountId, page.before, page.limit]);
}

const LIST_ALL = statement({
  text: `SELECT ${COLUMNS} FROM payments.payments WHERE ($1::uuid IS NULL OR payment_id < $1) ORDER BY payment_id DESC LIMIT $2`,
  parameters: [sql.nullable(sql.uuid), sql.whole],
  row: ROW,
});
const LIST_STATE = statement({
  text: `SELECT ${COLUMNS} FROM payments.payments WHERE state = $1 AND ($2::uuid IS NULL OR payment_id < $2) ORDER BY payment_id DESC LIMIT $3`,
  parameters: [STATE, sql.nullable(sql.uuid), sql.whole],
  row: ROW,
});
const LIST_OF_ACCOUNT = statement({
  text: `SELECT ${COLUMNS} FROM payments.payments
     WHERE account_id = $1 AND ($2::payments.state IS NULL OR state = $2) AND ($3::uuid IS NULL OR payment_id < $3) ORDER BY payment_id DESC LIMIT $4`,
  parameters: [sql.uuid, sql.nullable(STATE), sql.nullable(sql.uuid), sql.whole],
  row: ROW,
});

/** Of all accounts, or of one; newest first, as `listPayments`. */
export async function listAllPayments(
  q: Queryable,
  search: {
    /** Null: of all. */
    readonly accountId: Uuid | null;
    /** Null: in any. */
    readonly state: TopUp["state"] | null;
    readonly before: Uuid | null;
    readonly limit: number;
  },
): Promise<Payment[]> {
  const { accountId, state, before, limit } = search;
  if (accountId !== null) return q.run(LIST_OF_ACCOUNT, [accountId, state, before, limit]);
  if (state !== null) return q.run(LIST_STATE, [state, before, limit]);
  return q.run(LIST_ALL, [before, limit]);
}

const FIND_ID = statement({
  text: `SELECT account_id AS "accountId" FROM directory.payments WHERE payment_id = $1`,
  parameters: [sql.uuid],
  row: { accountId: sql.uuid },
});

/** Of whichever account; null: there is none such. */
export async function findAnyPayment(q: Queryable, paymentId: Uuid): Promise<Payment | null> {
  const [row] = await q.run(FIND_ID, [paymentId]);
  return row === undefined ? null : findPayment(q, { ...row, paymentId });
}

const FIND_NUMBER = statement({
  text: `SELECT account_id AS "accountId", payment_id AS "paymentId" FROM directory.payments
     WHERE (provider IN ('yookassa', 'sandbox') AND provider_payment_id = $1) OR payment_id = $2 LIMIT 10`,
  parameters: [sql.text, sql.nullable(sql.uuid)],
  row: { accountId: sql.uuid, paymentId: sql.uuid },
});

/** Those that have this number, at a provider or here. */
export async function findPaymentsByNumber(q: Queryable, number: string): Promise<Payment[]> {
  const own = number.toLowerCase();
  const keys = await q.run(FIND_NUMBER, [number, isUuid(own) ? own : null]);
  const found = await Promise.all(keys.map((key) => findPayment(q, key)));
  return found.filter((payment) => payment !== null);
}

// Leaves alone what is due by now: the provider reported something while it was asked, and is asked
// again.
const NOTE_PENDING = statement({
  text: `WITH noted AS (
       UPDATE payments.payments SET provider_payment_id = $3, redirect_url = coalesce($4, redirect_url), reads = 0,
         state = CASE WHEN state = 'created' THEN 'pending' ELSE state END,
         due_at = CASE WHEN due_at <= clock_timestamp() THEN due_at ELSE clock_timestamp() + $5 * interval '1 millisecond' END
       WHERE account_id = $1 AND payment_id = $2 AND state <> 'succeeded' AND coalesce(provider_payment_id, $3) = $3 RETURNING payment_id)
     UPDATE directory.payments d SET provider_payment_id = $3 FROM noted
     WHERE d.payment_id = noted.payment_id AND d.provider_payment_id IS NULL`,
  parameters: [sql.uuid, sql.uuid, sql.text, sql.nullable(sql.text), sql.float8],
});

/** The provider knows of it: it waits for the payer. Changes nothing that has gone on since. */
export async function notePending(
  q: Queryable,
  noted: PaymentKey & {
    readonly providerPaymentId: string;
    readonly redirectUrl: string | null;
    readonly dueInMs: number;
  },
): Promise<void> {
  await q.run(NOTE_PENDING, [
    noted.accountId,
    noted.paymentId,
    noted.providerPaymentId,
    noted.redirectUrl,
    noted.dueInMs,
  ]);
}

const END_UNPAID = statement({
  text: `UPDATE payments.payments n SET state = $3::payments.state, reason = $4, ended_at = coalesce(n.ended_at, clock_timestamp()),
       reads = n.reads + 1, due_at = CASE WHEN n.due_at <= clock_timestamp() THEN n.due_at ELSE clock_timestamp() + $5 * interval '1 millisecond' END
     FROM (SELECT account_id, payment_id, ended_at FROM payments.payments WHERE account_id = $1 AND payment_id = $2 FOR UPDATE) o
     WHERE n.account_id = o.account_id AND n.payment_id = o.payment_id AND n.state <> 'succeeded' RETURNING o.ended_at IS NULL AS ended`,
  parameters: [sql.uuid, sql.uuid, STATE, sql.text, sql.nullable(sql.float8)],
  row: { ended: sql.bool },
});

/**
 * It ends unpaid. Returns whether it was this call that ended it; a succeeded one never ends
 * otherwise. `dueInMs`: null asks no more.
 */
export async function endUnpaid(
  q: Queryable,
  end: PaymentKey & {
    readonly state: "canceled" | "failed";
    readonly reason: string;
    readonly dueInMs: number | null;
  },
): Promise<boolean> {
  const { accountId, paymentId, state, reason, dueInMs } = end;
  const rows = await q.run(END_UNPAID, [accountId, paymentId, state, reason, dueInMs]);
  return rows[0]?.ended ?? false;
}

const MARK_SUCCEEDED = statement({
  text: `UPDATE payments.payments SET state = 'succeeded', entry_id = $3, reason = NULL, ended_at = clock_timestamp(), reads = 0, due_at = NULL
     WHERE account_id = $1 AND payment_id = $2`,
  parameters: [sql.uuid, sql.uuid, sql.uuid],
});

/**
 * Paid, in the transaction that credits it, after lockPayment. It is asked about only when the
 * provider reports a refund.
 */
export async function markSucceeded(
  tx: Queryable,
  { accountId, paymentId }: PaymentKey,
  entryId: Uuid,
): Promise<void> {
  await tx.run(MARK_SUCCEEDED, [accountId, paymentId, entryId]);
}

// A refund of ours that is not over may be in what the provider tells, or not yet: only what is beyond it was certainly refunded elsewhere. The
// rest of that is found when it is over, for then the payment is read again.
const NOTE_REFUNDED = statement({
  text: `UPDATE payments.payments n SET refunded_nano = greatest(n.refunded_nano, $3),
       refunded_elsewhere_nano = greatest(n.refunded_elsewhere_nano, $3 - n.refunds_nano)
     FROM (SELECT account_id, payment_id, refunded_elsewhere_nano FROM payments.payments WHERE account_id = $1 AND payment_id = $2 FOR UPDATE) o
     WHERE n.account_id = o.account_id AND n.payment_id = o.payment_id RETURNING n.refunded_elsewhere_nano - o.refunded_elsewhere_nano AS more`,
  parameters: [sql.uuid, sql.uuid, sql.nano],
  row: { more: sql.nano },
});

/**
 * What was given back so far, wherever; it only grows. Returns how much more of it was given back
 * elsewhere than was known.
 */
export async function noteRefunded(
  q: Queryable,
  { accountId, paymentId }: PaymentKey,
  refundedNano: Nano,
): Promise<Nano> {
  const [row] = await q.run(NOTE_REFUNDED, [accountId, paymentId, refundedNano]);
  return row?.more ?? (0n as Nano);
}
