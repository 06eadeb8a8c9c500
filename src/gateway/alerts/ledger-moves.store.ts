/** What moved in the ledger since accounts were looked at: read for alerts, never written. */
import type { Spend } from "../../alerts/looks.store.ts";
import type { Queryable } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";

type Statements = Pick<Queryable, "query">;

const MOVED = `
  SELECT a.account_id AS "accountId", l.account_id IS NULL AS fresh FROM ledger.accounts a LEFT JOIN alerts.looks l USING (account_id)
  WHERE ($1::uuid IS NULL OR a.account_id > $1)
    AND (l.account_id IS NULL OR l.credited_nano <> a.credited_nano OR l.charged_nano <> a.charged_nano)
  ORDER BY a.account_id LIMIT $2`;

/** Accounts whose money is not what was seen last, in order; `fresh`: nobody looks at it yet. */
export function movedAccounts(
  q: Statements,
  after: Uuid | null,
  limit: number,
): Promise<{ readonly accountId: Uuid; readonly fresh: boolean }[]> {
  return q.query(MOVED, [after, limit]);
}

/** The number of an account's last entry; 0: it has none. */
export async function lastSeq(q: Statements, accountId: Uuid): Promise<bigint> {
  const [row] = await q.query<{ seq: bigint }>("SELECT coalesce(max(seq), 0) AS seq FROM ledger.entries WHERE account_id = $1", [
    accountId,
  ]);
  return row?.seq ?? 0n;
}

/** Days, weeks and months all begin with one of these. */
const BUCKET = `date_bin('10 minutes', at, timestamptz '2000-01-01 00:00:00+00')`;
/** Of a charge: the account, and its budget where that is asked for. */
const SUBJECTS = `CROSS JOIN LATERAL (VALUES (account_id), (budget_id)) AS s (subject_id)`;

export interface Moves {
  readonly spend: readonly Spend[];
  /** The number of the last entry among them; null: there are none. */
  readonly throughSeq: bigint | null;
}

const NEW = `
  SELECT s.subject_id AS "subjectId", ${BUCKET} AS bucket, coalesce(sum(amount_nano) FILTER (WHERE kind = 'charge'), 0)::bigint AS "chargedNano",
    max(seq) AS seq
  FROM ledger.entries ${SUBJECTS} WHERE account_id = $1 AND seq > $2 AND s.subject_id = ANY ($3::uuid[]) GROUP BY 1, 2`;

/** All entries of an account behind a number. `subjectIds`: the account itself must be one of them. */
export async function movesAfter(q: Statements, accountId: Uuid, seq: bigint, subjectIds: readonly Uuid[]): Promise<Moves> {
  const rows = await q.query<Spend & { seq: bigint }>(NEW, [accountId, seq, subjectIds]);
  const spend = rows.filter(({ chargedNano }) => chargedNano > 0n);
  return { spend, throughSeq: rows.reduce<bigint | null>((last, row) => (last === null || row.seq > last ? row.seq : last), null) };
}

const EARLIER = `
  SELECT s.subject_id AS "subjectId", ${BUCKET} AS bucket, sum(amount_nano)::bigint AS "chargedNano"
  FROM ledger.entries ${SUBJECTS}
  WHERE account_id = $1 AND seq <= $2 AND s.subject_id = $3 AND kind = 'charge'
    AND at >= least(clock_timestamp() - interval '8 days', date_trunc('month', clock_timestamp() AT TIME ZONE 'Europe/Moscow') AT TIME ZONE 'Europe/Moscow')
  GROUP BY 1, 2`;

/** What a subject was charged up to an entry, as far back as any rule can ask. Reads all of the account's entries: once, when it begins to be watched. */
export function spendBefore(q: Statements, accountId: Uuid, seq: bigint, subjectId: Uuid): Promise<Spend[]> {
  return q.query<Spend>(EARLIER, [accountId, seq, subjectId]);
}
