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

const LAST_SEQ = statement({
  text: "SELECT coalesce(max(seq), 0) AS seq FROM ledger.entries WHERE account_id = $1",
  parameters: [sql.uuid],
  row: { seq: sql.int8 },
});

/** The number of an account's last entry; 0: it has none. */
export async function lastSeq(q: Queryable, accountId: Uuid): Promise<bigint> {
  const [row] = await q.run(LAST_SEQ, [accountId]);
  return row?.seq ?? 0n;
}

/** Days, weeks and months all begin with one of these. */
const BUCKET = `date_bin('10 minutes', at, timestamptz '2000-01-01 00:00:00+00')`;
/** Of a charge: the account, and its budget where that is asked for. */
const SUBJECTS = `CROSS JOIN LATERAL (VALUES (account_id), (budget_id)) AS s (subject_id)`;

/** Whose entries to read, from where on, and for whom they count. */
export interface MoveSearch {
  readonly accountId: Uuid;
  /** The account itself, or one of its budgets. */
  readonly subjectId: Uuid;
  readonly afterSeq: bigint;
}

export interface Move extends Spend {
  /** The number of the last entry in it. */
  readonly seq: bigint;
}

const NEW = statement({
  text: `
  SELECT u.account_id AS "accountId", u.subject_id AS "subjectId", ${BUCKET} AS bucket,
    coalesce(sum(e.amount_nano) FILTER (WHERE e.kind = 'charge'), 0)::bigint AS "chargedNano", max(e.seq) AS seq
  FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS u (account_id, subject_id, seq)
  CROSS JOIN LATERAL (
    SELECT n.at, n.kind, n.amount_nano, n.seq FROM ledger.entries n
    WHERE n.account_id = u.account_id AND n.seq > u.seq AND u.subject_id IN (n.account_id, n.budget_id) OFFSET 0) e
  GROUP BY 1, 2, 3`,
  parameters: [sql.array(sql.uuid), sql.array(sql.uuid), sql.array(sql.int8)],
  row: {
    accountId: sql.uuid,
    subjectId: sql.uuid,
    bucket: sql.timestamptz,
    chargedNano: sql.nano,
    seq: sql.int8,
  },
});

/** All entries behind a number, by whom they count for and by ten minutes. */
export async function movesAfter(q: Queryable, searches: readonly MoveSearch[]): Promise<Move[]> {
  return q.run(NEW, [
    uuidArray(searches, (search) => search.accountId),
    uuidArray(searches, (search) => search.subjectId),
    bigintArray(searches, (search) => search.afterSeq),
  ]);
}

const EARLIER = statement({
  text: `
  SELECT account_id AS "accountId", s.subject_id AS "subjectId", ${BUCKET} AS bucket, sum(amount_nano)::bigint AS "chargedNano"
  FROM ledger.entries ${SUBJECTS}
  WHERE account_id = $1 AND seq <= $2 AND s.subject_id = $3 AND kind = 'charge'
    AND at >= least(clock_timestamp() - interval '8 days', date_trunc('month', clock_timestamp() AT TIME ZONE 'Europe/Moscow') AT TIME ZONE 'Europe/Moscow')
  GROUP BY 1, 2, 3`,
  parameters: [sql.uuid, sql.int8, sql.uuid],
  row: { accountId: sql.uuid, subjectId: sql.uuid, bucket: sql.timestamptz, chargedNano: sql.nano },
});

/**
 * What a subject was charged up to an entry, as far back as any rule can ask. Reads all of the
 * account's entries: once, when it begins to be watched.
 */
export function spendBefore(
  q: Queryable,
  accountId: Uuid,
  seq: bigint,
  subjectId: Uuid,
): Promise<Spend[]> {
  return q.run(EARLIER, [accountId, seq, subjectId]);
}
