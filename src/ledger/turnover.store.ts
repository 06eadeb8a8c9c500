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

const HAS_NOW = `(SELECT credited_nano - charged_nano FROM ledger.accounts WHERE account_id = $1)`;
/** Right before the first entry of that time, and right before the one that comes behind it. */
const BALANCE_AT_FIRST = `coalesce((SELECT balance_nano - ${CHANGE} FROM ledger.entries WHERE account_id = $1 AND entry_no = (SELECT first FROM bounds)), ${HAS_NOW}, 0)`;
const BALANCE_BEHIND = `coalesce((SELECT balance_nano - ${CHANGE} FROM ledger.entries WHERE account_id = $1 AND entry_no = (SELECT behind FROM bounds)), ${HAS_NOW}, 0)`;
const PARAMETERS = [
  sql.uuid,
  sql.nullable(sql.timestamptz),
  sql.nullable(sql.timestamptz),
] as const;
const ROW = {
  openingNano: sql.nano,
  toppedUpNano: sql.nano,
  adjustedNano: sql.nano,
  chargedNano: sql.nano,
};

const SUM = statement({
  text: `
  WITH bounds AS MATERIALIZED (
    SELECT ${ENTRIES_FROM} AS first, ${ENTRIES_BEFORE} AS behind)
  SELECT ${BALANCE_AT_FIRST} AS "openingNano",
    coalesce(sum(change) FILTER (WHERE kind = 'topup'), 0)::bigint AS "toppedUpNano",
    coalesce(sum(change) FILTER (WHERE kind = 'adjust'), 0)::bigint AS "adjustedNano",
    coalesce(-sum(change) FILTER (WHERE kind = 'charge'), 0)::bigint AS "chargedNano"
  FROM (SELECT kind, ${CHANGE} AS change FROM ledger.entries
        WHERE account_id = $1 AND entry_no >= (SELECT first FROM bounds) AND entry_no < (SELECT behind FROM bounds)) moved`,
  parameters: PARAMETERS,
  row: ROW,
});

// Of entries without a gap the charges are what is missing from one balance to the other: only money
// that came in is added up, by the index of entries of no request.
const SUM_BETWEEN = statement({
  text: `
  WITH bounds AS MATERIALIZED (
    SELECT ${ENTRIES_FROM} AS first, greatest(${ENTRIES_FROM}, ${ENTRIES_BEFORE}) AS behind),
  balances AS MATERIALIZED (
    SELECT ${BALANCE_AT_FIRST} AS opening, ${BALANCE_BEHIND} AS closing),
  came AS MATERIALIZED (
    SELECT coalesce(sum(amount_nano) FILTER (WHERE kind = 'topup'), 0)::bigint AS topped, coalesce(sum(amount_nano) FILTER (WHERE kind = 'adjust'), 0)::bigint AS adjusted
    FROM ledger.entries
    WHERE account_id = $1 AND entry_no >= (SELECT first FROM bounds) AND entry_no < (SELECT behind FROM bounds) AND kind NOT IN ('charge', 'release'))
  SELECT opening AS "openingNano", topped AS "toppedUpNano", adjusted AS "adjustedNano", opening + topped + adjusted - closing AS "chargedNano"
  FROM balances, came`,
  parameters: PARAMETERS,
  row: ROW,
});

/** In one snapshot; exact where none of the account's entries of that time has left the database. */
export async function sumWholeTurnover(
  q: Queryable,
  { accountId, from, to }: TurnoverSearch,
): Promise<Turnover> {
  const [sums] = await q.run(SUM_BETWEEN, [accountId, from, to]);
  if (sums === undefined) throw new Error("an aggregate has one row");
  return sums;
}

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
