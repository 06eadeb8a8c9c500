/**
 * An account's books by days of Moscow: what it had when each began, and what was charged on it, by
 * the sums that are added up with its entries. A day's first entry is found by the key
 * `entries_by_number` (account, number) in some twenty steps, its charges by that of `usage.daily`
 * and `usage.hourly`.
 */
import type { Queryable } from "../../../db/database.ts";
import { sql } from "../../../db/sql-type.ts";
import { statement } from "../../../db/statement.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import type { Nano } from "../../../kernel/money.ts";
import { CHANGE } from "../../../ledger/entries.store.ts";

export interface BookedDay {
  /** YYYY-MM-DD. */
  readonly day: string;
  /** Right before its first entry. */
  readonly openingNano: Nano;
  readonly chargedNano: Nano;
  /** Requests and tasks that ended on it. */
  readonly requests: bigint;
}

// Without an entry from a day's beginning on, the account has now what it had then.
const DAYS = statement({
  text: `
  WITH spent AS MATERIALIZED (
    SELECT day, sum(charged_nano) AS charged, sum(ended) AS ended FROM usage.days WHERE account_id = $1 AND day BETWEEN $2 AND $3 GROUP BY day)
  SELECT to_char(d.day, 'YYYY-MM-DD') AS day,
    coalesce((SELECT balance_nano - ${CHANGE} FROM ledger.entries
        WHERE account_id = $1 AND entry_no >= (SELECT ledger.first_entry_from($1, d.day AT TIME ZONE 'Europe/Moscow')) ORDER BY entry_no LIMIT 1),
      (SELECT credited_nano - charged_nano FROM ledger.accounts WHERE account_id = $1), 0)::bigint AS "openingNano",
    coalesce(s.charged, 0)::bigint AS "chargedNano", coalesce(s.ended, 0)::bigint AS requests
  FROM generate_series($2::date::timestamp, $3::date::timestamp, interval '1 day') AS d (day) LEFT JOIN spent s ON s.day = d.day::date
  ORDER BY d.day DESC`,
  parameters: [sql.uuid, sql.date, sql.date],
  row: { day: sql.text, openingNano: sql.nano, chargedNano: sql.nano, requests: sql.int8 },
});

/** Both included, the newest first, in one snapshot. */
export async function bookedDays(
  q: Queryable,
  accountId: Uuid,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<BookedDay[]> {
  return q.run(DAYS, [accountId, from, to]);
}

const FIRST_DAY = statement({
  text: `
  SELECT (at AT TIME ZONE 'Europe/Moscow')::date AS day FROM ledger.entries WHERE account_id = $1 ORDER BY entry_no LIMIT 1`,
  parameters: [sql.uuid],
  row: { day: sql.date },
});

/** That of its first entry that is in the database; null: it has none. */
export async function firstBookedDay(q: Queryable, accountId: Uuid): Promise<string | null> {
  const [row] = await q.run(FIRST_DAY, [accountId]);
  return row?.day ?? null;
}
