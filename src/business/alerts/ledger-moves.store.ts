/** What moved in the ledger since accounts were looked at: read for alerts, never written. */
import type { Spend } from "./looks.store.ts";
import { bigintArray, uuidArray } from "../../db/array-params.ts";
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
import type { Uuid } from "../../kernel/ids.ts";

const MOVED = statement({
  text: `
  SELECT a.account_id AS "accountId", l.account_id IS NULL AS fresh FROM ledger.accounts a LEFT JOIN alerts.looks l USING (account_id)
  WHERE ($1::uuid IS NULL OR a.account_id > $1)
    AND (l.account_id IS NULL OR l.credited_nano <> a.credited_nano OR l.charged_nano <> a.charged_nano)
  ORDER BY a.account_id LIMIT $2`,
  parameters: [sql.nullable(sql.uuid), sql.whole],
  row: { accountId: sql.uuid, fresh: sql.bool },
});

/** Accounts whose money is not what was seen last, in order; `fresh`: it was never looked at. */
export function movedAccounts(
  q: Queryable,
  after: Uuid | null,
  limit: number,
): Promise<{ readonly accountId: Uuid; readonly fresh: boolean }[]> {
  return q.run(MOVED, [after, limit]);
}

const LAST_NUMBER = statement({
  text: "SELECT entries FROM ledger.accounts WHERE account_id = $1",
  parameters: [sql.uuid],
  row: { entries: sql.int8 },
});

/** Of an account's last entry; 0: it has none. */
export async function lastEntryNo(q: Queryable, accountId: Uuid): Promise<bigint> {
  const [row] = await q.run(LAST_NUMBER, [accountId]);
  return row?.entries ?? 0n;
}

/** Days, weeks and months all begin with one of these. */
const BUCKET = `date_bin('10 minutes', at, timestamptz '2000-01-01 00:00:00+00')`;
/** Whose entries to read, from where on, and for whom they count. */
export interface MoveSearch {
  readonly accountId: Uuid;
  /** The account itself, or one of its budgets. */
  readonly subjectId: Uuid;
  readonly afterNo: bigint;
}

export interface Move extends Spend {
  /** The number of the last entry in it. */
  readonly entryNo: bigint;
}

const NEW = statement({
  text: `
  SELECT u.account_id AS "accountId", u.subject_id AS "subjectId", ${BUCKET} AS bucket,
    coalesce(sum(e.amount_nano) FILTER (WHERE e.kind = 'charge'), 0)::bigint AS "chargedNano", max(e.entry_no) AS "entryNo"
  FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS u (account_id, subject_id, entry_no)
  CROSS JOIN LATERAL (
    SELECT n.at, n.kind, n.amount_nano, n.entry_no FROM ledger.entries n
    WHERE n.account_id = u.account_id AND n.entry_no > u.entry_no AND u.subject_id IN (n.account_id, n.budget_id) OFFSET 0) e
  GROUP BY 1, 2, 3`,
  parameters: [sql.array(sql.uuid), sql.array(sql.uuid), sql.array(sql.int8)],
  row: {
    accountId: sql.uuid,
    subjectId: sql.uuid,
    bucket: sql.timestamptz,
    chargedNano: sql.nano,
    entryNo: sql.int8,
  },
});

/** All entries behind a number, by whom they count for and by ten minutes. */
export async function movesAfter(q: Queryable, searches: readonly MoveSearch[]): Promise<Move[]> {
  return q.run(NEW, [
    uuidArray(searches, (search) => search.accountId),
    uuidArray(searches, (search) => search.subjectId),
    bigintArray(searches, (search) => search.afterNo),
  ]);
}

/** Sums of ten minutes are asked for of two hours at most (`looks.store.ts`). */
const EARLIER = statement({
  text: `
  WITH fine AS MATERIALIZED (SELECT least(date_trunc('hour', now(), 'UTC') - interval '2 hours',
    (SELECT date_trunc('hour', n.at, 'UTC') FROM ledger.entries n WHERE n.account_id = $1 AND n.entry_no = $2::bigint + 1)) AS since),
  hours AS (
    SELECT h.hour AS at, h.charged_nano AS amount_nano FROM usage.hourly h, fine
    WHERE h.account_id = $1 AND $3 IN (h.account_id, h.key_id) AND h.hour < fine.since
      AND h.hour >= date_trunc('hour', least(now() - interval '8 days', date_trunc('month', now() AT TIME ZONE 'Europe/Moscow') AT TIME ZONE 'Europe/Moscow'), 'UTC')),
  entries AS (
    SELECT e.at, e.amount_nano FROM ledger.entries e
    WHERE e.account_id = $1 AND $3 IN (e.account_id, e.budget_id) AND e.kind = 'charge' AND e.entry_no <= $2
      AND e.entry_no >= (SELECT ledger.first_entry_from($1, fine.since) FROM fine))
  SELECT $1 AS "accountId", $3 AS "subjectId", ${BUCKET} AS bucket, sum(amount_nano)::bigint AS "chargedNano"
  FROM (SELECT * FROM hours UNION ALL SELECT * FROM entries) charged WHERE amount_nano > 0 GROUP BY bucket`,
  parameters: [sql.uuid, sql.int8, sql.uuid],
  row: { accountId: sql.uuid, subjectId: sql.uuid, bucket: sql.timestamptz, chargedNano: sql.nano },
});

/**
 * What a subject was charged up to an entry, as far back as any rule can ask: the last hours, and
 * that of the entry behind it, by their entries, what is older by the sums of hours.
 */
export function spendBefore(
  q: Queryable,
  accountId: Uuid,
  entryNo: bigint,
  subjectId: Uuid,
): Promise<Spend[]> {
  return q.run(EARLIER, [accountId, entryNo, subjectId]);
}
