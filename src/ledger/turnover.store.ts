/** What an account's entries of a time add up to. */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Nano } from "../kernel/money.ts";

export interface Turnover {
  /** What the entries of before that time did to the balance. */
  readonly beforeNano: Nano;
  readonly toppedUpNano: Nano;
  /** Below 0 where more was taken than given. */
  readonly adjustedNano: Nano;
  readonly chargedNano: Nano;
}

export interface TurnoverSearch {
  readonly accountId: Uuid;
  /** Booked from this moment on, and before that one. */
  readonly from: Date | null;
  readonly to: Date | null;
  /** Only entries numbered above the one and up to the other (null: all) are looked at. */
  readonly above: bigint;
  readonly upTo: bigint | null;
}

const SUM = statement({
  text: `
  SELECT coalesce(sum(change) FILTER (WHERE at < $2), 0)::bigint AS "beforeNano",
    coalesce(sum(change) FILTER (WHERE within AND kind = 'topup'), 0)::bigint AS "toppedUpNano",
    coalesce(sum(change) FILTER (WHERE within AND kind = 'adjust'), 0)::bigint AS "adjustedNano",
    coalesce(-sum(change) FILTER (WHERE within AND kind = 'charge'), 0)::bigint AS "chargedNano"
  FROM (SELECT kind, at, CASE account_id WHEN credit_id THEN amount_nano WHEN debit_id THEN -amount_nano ELSE 0 END AS change,
          ($2::timestamptz IS NULL OR at >= $2) AND ($3::timestamptz IS NULL OR at < $3) AS within
        FROM ledger.entries WHERE account_id = $1 AND seq > $4 AND ($5::bigint IS NULL OR seq <= $5)) moved`,
  parameters: [
    sql.uuid,
    sql.nullable(sql.timestamptz),
    sql.nullable(sql.timestamptz),
    sql.int8,
    sql.nullable(sql.int8),
  ],
  row: {
    beforeNano: sql.nano,
    toppedUpNano: sql.nano,
    adjustedNano: sql.nano,
    chargedNano: sql.nano,
  },
});

/** In one snapshot. */
export async function sumTurnover(
  q: Queryable,
  { accountId, from, to, above, upTo }: TurnoverSearch,
): Promise<Turnover> {
  const [sums] = await q.run(SUM, [accountId, from, to, above, upTo]);
  if (sums === undefined) throw new Error("an aggregate has one row");
  return sums;
}
