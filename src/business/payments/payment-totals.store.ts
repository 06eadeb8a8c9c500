/** Sums over payments of all accounts, of the newest ones where there are very many. */
import { TOP_UP_STATES } from "../../contract/enums/top-up-state.ts";
import type { TopUp } from "../../contract/panel/top-up.ts";
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import { assert } from "../../kernel/assert.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";

/** No more than these are read for one answer. */
export const SUMMED_MAX = 10_000;

export interface PaymentTotals {
  readonly payments: bigint;
  readonly succeeded: bigint;
  readonly creditedNano: Nano;
  readonly refundedNano: Nano;
  /** Of those that are not over. */
  readonly openNano: Nano;
}

const STATE = sql.enumOf("payments.state", TOP_UP_STATES);

const SUMS = `count(*) AS "payments", count(*) FILTER (WHERE state = 'succeeded') AS "succeeded",
  coalesce(sum(amount_nano) FILTER (WHERE state = 'succeeded'), 0)::bigint AS "creditedNano",
  coalesce(sum(refunded_nano), 0)::bigint AS "refundedNano",
  coalesce(sum(amount_nano) FILTER (WHERE state IN ('created', 'pending')), 0)::bigint AS "openNano"`;
const SUMMED = "SELECT state, amount_nano, refunded_nano FROM payments.payments";

const ROW = {
  payments: sql.int8,
  succeeded: sql.int8,
  creditedNano: sql.nano,
  refundedNano: sql.nano,
  openNano: sql.nano,
};

// One for each index that the list of the same filter goes by.
const OF_ALL = statement({
  text: `SELECT ${SUMS} FROM (${SUMMED} ORDER BY payment_id DESC LIMIT $1) newest`,
  parameters: [sql.whole],
  row: ROW,
});
const OF_STATE = statement({
  text: `SELECT ${SUMS} FROM (${SUMMED} WHERE state = $1 ORDER BY payment_id DESC LIMIT $2) newest`,
  parameters: [STATE, sql.whole],
  row: ROW,
});
const OF_ACCOUNT = statement({
  text: `SELECT ${SUMS} FROM (${SUMMED}
     WHERE account_id = $1 AND ($2::payments.state IS NULL OR state = $2) ORDER BY payment_id DESC LIMIT $3) newest`,
  parameters: [sql.uuid, sql.nullable(STATE), sql.whole],
  row: ROW,
});

/** Null: of all. */
export async function sumPayments(
  q: Queryable,
  filter: { readonly accountId: Uuid | null; readonly state: TopUp["state"] | null },
): Promise<PaymentTotals> {
  const [sums] = await read(q, filter);
  assert(sums !== undefined, "sums are one row");
  return sums;
}

function read(
  q: Queryable,
  { accountId, state }: { readonly accountId: Uuid | null; readonly state: TopUp["state"] | null },
): Promise<PaymentTotals[]> {
  if (accountId !== null) return q.run(OF_ACCOUNT, [accountId, state, SUMMED_MAX]);
  if (state !== null) return q.run(OF_STATE, [state, SUMMED_MAX]);
  return q.run(OF_ALL, [SUMMED_MAX]);
}
