/**
 * Counts entries of the ledger into the daily sums of spend and of what was earned, once each: the
 * count and how far it goes change in one transaction, under the account's row.
 */
import { bigintArray, uuidArray } from "../../../db/array-params.ts";
import type { Queryable, Tx } from "../../../db/database.ts";
import { sql } from "../../../db/sql-type.ts";
import { statement } from "../../../db/statement.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { ENDED_ENTRIES, MARGIN_SUMS } from "./ended-entries.store.ts";

/** So far apart are two marks of the balance, at least. */
const MARK_EVERY = 1_000;

const FOLD = statement({
  text: `
  WITH part AS MATERIALIZED (
    SELECT e.* FROM unnest($1::uuid[], $2::bigint[]) AS u (account_id, seq)
    CROSS JOIN LATERAL (SELECT * FROM ledger.entries n WHERE n.account_id = u.account_id AND n.seq > u.seq ORDER BY n.seq LIMIT $3) e
  ), ended AS MATERIALIZED (${ENDED_ENTRIES}), counted AS (
    INSERT INTO usage.daily_spend AS d (account_id, day, key_id, model, kind, charged_nano, ended, failed, input_tokens, cached_tokens, output_tokens)
    SELECT account_id, day, key_id, model, kind, sum(charged_nano)::bigint, count(*), sum(failed), sum(input_tokens)::bigint, sum(cached_tokens)::bigint, sum(output_tokens)::bigint
    FROM ended GROUP BY account_id, day, key_id, model, kind
    ON CONFLICT ON CONSTRAINT one_of_each DO UPDATE SET charged_nano = d.charged_nano + excluded.charged_nano, ended = d.ended + excluded.ended,
      failed = d.failed + excluded.failed, input_tokens = d.input_tokens + excluded.input_tokens,
      cached_tokens = d.cached_tokens + excluded.cached_tokens, output_tokens = d.output_tokens + excluded.output_tokens
  ), earned AS (
    INSERT INTO operate.running_margin AS m (day, account_id, model, upstream, requests, charged_nano, cost_nano, unknown_requests, unknown_charged_nano, loss_nano)
    SELECT day, account_id, model, upstream, ${MARGIN_SUMS} FROM ended GROUP BY day, account_id, model, upstream
    ON CONFLICT (day, account_id, model, upstream) DO UPDATE SET requests = m.requests + excluded.requests, charged_nano = m.charged_nano + excluded.charged_nano,
      cost_nano = coalesce(m.cost_nano + excluded.cost_nano, m.cost_nano, excluded.cost_nano), unknown_requests = m.unknown_requests + excluded.unknown_requests,
      unknown_charged_nano = m.unknown_charged_nano + excluded.unknown_charged_nano, loss_nano = m.loss_nano + excluded.loss_nano
  ), whole AS (
    SELECT account_id, count(*)::int AS entries, max(seq) AS seq, (array_agg(at ORDER BY seq DESC))[1] AS at,
      coalesce(sum(amount_nano) FILTER (WHERE kind = 'charge'), 0)::bigint AS charged,
      coalesce(sum(CASE account_id WHEN credit_id THEN amount_nano WHEN debit_id THEN -amount_nano ELSE 0 END), 0)::bigint AS change
    FROM part GROUP BY account_id
  ), moved AS (
    UPDATE usage.folds f SET through_seq = w.seq, charged_nano = f.charged_nano + w.charged, balance_nano = f.balance_nano + w.change,
      unmarked = CASE WHEN f.unmarked + w.entries >= ${MARK_EVERY} THEN 0 ELSE f.unmarked + w.entries END
    FROM whole w WHERE f.account_id = w.account_id
    RETURNING f.account_id, f.through_seq, f.balance_nano, f.unmarked, w.at
  ), marked AS (
    INSERT INTO usage.marks (account_id, seq, at, balance_nano) SELECT account_id, through_seq, at, balance_nano FROM moved WHERE unmarked = 0
  )
  SELECT account_id AS "accountId", entries FROM whole`,
  parameters: [sql.array(sql.uuid), sql.array(sql.int8), sql.whole],
  row: { accountId: sql.uuid, entries: sql.int4 },
});

const OPEN = statement({
  text: "INSERT INTO usage.folds (account_id) SELECT unnest($1::uuid[]) ON CONFLICT DO NOTHING",
  parameters: [sql.array(sql.uuid)],
});

/**
 * Of each account as far as its entries are counted; those that another process is at are missing.
 */
const LOCK = statement({
  text: `SELECT account_id AS "accountId", through_seq AS seq FROM usage.folds WHERE account_id = ANY ($1::uuid[]) ORDER BY account_id FOR UPDATE SKIP LOCKED`,
  parameters: [sql.array(sql.uuid)],
  row: { accountId: sql.uuid, seq: sql.int8 },
});

/**
 * At most so many entries of each account, all in one statement: to plan it takes longer than to
 * count some hundred entries. Returns how many were counted of those accounts that had any; what
 * another process is at is left to it.
 */
export async function foldParts(
  tx: Tx,
  accountIds: readonly Uuid[],
  limit: number,
): Promise<ReadonlyMap<Uuid, number>> {
  const ids = uuidArray(accountIds, (id) => id);
  await tx.run(OPEN, [ids]);
  const folds = await tx.run(LOCK, [ids]);
  if (folds.length === 0) return new Map();
  const counted = await tx.run(FOLD, [
    uuidArray(folds, (fold) => fold.accountId),
    bigintArray(folds, (fold) => fold.seq),
    limit,
  ]);
  return new Map(counted.map(({ accountId, entries }) => [accountId, entries]));
}

const MOVED = statement({
  text: `
  SELECT a.account_id AS "accountId" FROM ledger.accounts a LEFT JOIN usage.folds f USING (account_id)
  WHERE a.charged_nano <> coalesce(f.charged_nano, 0) OR a.credited_nano - a.charged_nano <> coalesce(f.balance_nano, 0)
  LIMIT $1`,
  parameters: [sql.whole],
  row: { accountId: sql.uuid },
});

/** Accounts whose money is not the one that was counted last. */
export async function movedAccounts(q: Queryable, limit: number): Promise<Uuid[]> {
  return (await q.run(MOVED, [limit])).map(({ accountId }) => accountId);
}

const NEXT = statement({
  text: `
  SELECT a.account_id AS "accountId", EXISTS (
    SELECT FROM ledger.entries e WHERE e.account_id = a.account_id
      AND e.seq > coalesce((SELECT f.through_seq FROM usage.folds f WHERE f.account_id = a.account_id), 0)) AS behind
  FROM ledger.accounts a WHERE $1::uuid IS NULL OR a.account_id > $1 ORDER BY a.account_id LIMIT $2`,
  parameters: [sql.nullable(sql.uuid), sql.whole],
  row: { accountId: sql.uuid, behind: sql.bool },
});

/**
 * The next accounts in order, and whether they have entries that are not counted: what moved no
 * money shows only so.
 */
export function nextAccounts(
  q: Queryable,
  after: Uuid | null,
  limit: number,
): Promise<{ readonly accountId: Uuid; readonly behind: boolean }[]> {
  return q.run(NEXT, [after, limit]);
}
