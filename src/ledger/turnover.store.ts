/** What an account's entries of a time add up to. */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import { type Nano, ZERO_NANO } from "../kernel/money.ts";
import { CHANGE, ENTRIES_BEFORE, ENTRIES_FROM } from "./entries.store.ts";

export interface Turnover {
  /** The balance right before that time. */
  readonly openingNano: Nano;
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
}

const SUM = statement({
  text: `
  WITH bounds AS MATERIALIZED (
    SELECT ${ENTRIES_FROM} AS first, ${ENTRIES_BEFORE} AS behind)
  SELECT coalesce((SELECT balance_nano - ${CHANGE} FROM ledger.entries WHERE account_id = $1 AND entry_no = (SELECT first FROM bounds)),
      (SELECT credited_nano - charged_nano FROM ledger.accounts WHERE account_id = $1), 0) AS "openingNano",
    coalesce(sum(change) FILTER (WHERE kind = 'topup'), 0)::bigint AS "toppedUpNano",
    coalesce(sum(change) FILTER (WHERE kind = 'adjust'), 0)::bigint AS "adjustedNano",
    coalesce(-sum(change) FILTER (WHERE kind = 'charge'), 0)::bigint AS "chargedNano"
  FROM (SELECT kind, ${CHANGE} AS change FROM ledger.entries
        WHERE account_id = $1 AND entry_no >= (SELECT first FROM bounds) AND entry_no < (SELECT behind FROM bounds)) moved`,
  parameters: [sql.uuid, sql.nullable(sql.timestamptz), sql.nullable(sql.timestamptz)],
  row: {
    openingNano: sql.nano,
    toppedUpNano: sql.nano,
    adjustedNano: sql.nano,
    chargedNano: sql.nano,
  },
});

/** In one snapshot. */
export async function sumTurnover(
  q: Queryable,
  { accountId, from, to }: TurnoverSearch,
): Promise<Turnover> {
  const [sums] = await q.run(SUM, [accountId, from, to]);
  if (sums === undefined) throw new Error("an aggregate has one row");
  return sums;
}

const SUM_BEFORE = statement({
  text: `
  SELECT coalesce(sum(${CHANGE}), 0)::bigint AS "beforeNano" FROM ledger.entries
  WHERE account_id = $1 AND entry_no < (SELECT ledger.first_entry_from($1, $2))`,
  parameters: [sql.uuid, sql.timestamptz],
  row: { beforeNano: sql.nano },
});

/** What those that are here and were booked before that moment did to the balance. */
export async function sumBefore(q: Queryable, accountId: Uuid, moment: Date): Promise<Nano> {
  const [row] = await q.run(SUM_BEFORE, [accountId, moment]);
  return row?.beforeNano ?? ZERO_NANO;
}
