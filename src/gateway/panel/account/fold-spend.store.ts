/** Counts entries of the ledger into the daily sums of spend and of what was earned, once each: the count and how far it goes change in one transaction, under the account's row. */
import type { Queryable, Tx } from "../../../db/database.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import { ENDED_MARGINS, MARGIN_SUMS } from "../../operate/ended-margins.store.ts";
import { ENDED_ENTRIES } from "./ended-entries.store.ts";

/** So far apart are two marks of the balance, at least. */
const MARK_EVERY = 1_000;

interface Fold {
  readonly seq: bigint;
}

const FOLD = `
  WITH part AS MATERIALIZED (
    SELECT * FROM ledger.entries WHERE account_id = $1 AND seq > $2 ORDER BY seq LIMIT $3
  ), ended AS MATERIALIZED (${ENDED_ENTRIES}), counted AS (
    INSERT INTO usage.daily_spend AS d (account_id, day, key_id, model, kind, charged_nano, ended, failed, input_tokens, cached_tokens, output_tokens)
    SELECT account_id, day, key_id, model, kind, sum(charged_nano)::bigint, count(*), sum(failed), sum(input_tokens)::bigint, sum(cached_tokens)::bigint, sum(output_tokens)::bigint
    FROM ended GROUP BY account_id, day, key_id, model, kind
    ON CONFLICT ON CONSTRAINT one_of_each DO UPDATE SET charged_nano = d.charged_nano + excluded.charged_nano, ended = d.ended + excluded.ended,
      failed = d.failed + excluded.failed, input_tokens = d.input_tokens + excluded.input_tokens,
      cached_tokens = d.cached_tokens + excluded.cached_tokens, output_tokens = d.output_tokens + excluded.output_tokens
  ), margins AS MATERIALIZED (${ENDED_MARGINS}), earned AS (
    INSERT INTO operate.running_margin AS m (day, account_id, model, upstream, requests, charged_nano, cost_nano, unknown_requests, unknown_charged_nano, loss_nano)
    SELECT day, account_id, model, upstream, ${MARGIN_SUMS} FROM margins GROUP BY day, account_id, model, upstream
    ON CONFLICT (day, account_id, model, upstream) DO UPDATE SET requests = m.requests + excluded.requests, charged_nano = m.charged_nano + excluded.charged_nano,
      cost_nano = coalesce(m.cost_nano + excluded.cost_nano, m.cost_nano, excluded.cost_nano), unknown_requests = m.unknown_requests + excluded.unknown_requests,
      unknown_charged_nano = m.unknown_charged_nano + excluded.unknown_charged_nano, loss_nano = m.loss_nano + excluded.loss_nano
  ), whole AS (
    SELECT count(*)::int AS entries, max(seq) AS seq, coalesce(sum(amount_nano) FILTER (WHERE kind = 'charge'), 0)::bigint AS charged,
      coalesce(sum(CASE account_id WHEN credit_id THEN amount_nano WHEN debit_id THEN -amount_nano ELSE 0 END), 0)::bigint AS change
    FROM part
  ), moved AS (
    UPDATE usage.folds f SET through_seq = w.seq, charged_nano = f.charged_nano + w.charged, balance_nano = f.balance_nano + w.change,
      unmarked = CASE WHEN f.unmarked + w.entries >= ${MARK_EVERY} THEN 0 ELSE f.unmarked + w.entries END
    FROM whole w WHERE f.account_id = $1 AND w.entries > 0
    RETURNING f.through_seq, f.balance_nano, f.unmarked
  ), marked AS (
    INSERT INTO usage.marks (account_id, seq, at, balance_nano)
    SELECT $1, m.through_seq, (SELECT p.at FROM part p WHERE p.seq = m.through_seq), m.balance_nano FROM moved m WHERE m.unmarked = 0
  )
  SELECT entries FROM whole`;

/** At most so many entries of one account. Returns how many were counted; null when another process is at it. */
export async function foldPart(tx: Tx, accountId: Uuid, limit: number): Promise<number | null> {
  await tx.query("INSERT INTO usage.folds (account_id) VALUES ($1) ON CONFLICT DO NOTHING", [accountId]);
  const [fold] = await tx.query<Fold>("SELECT through_seq AS seq FROM usage.folds WHERE account_id = $1 FOR UPDATE SKIP LOCKED", [
    accountId,
  ]);
  if (fold === undefined) return null;
  const [part] = await tx.query<{ entries: number }>(FOLD, [accountId, fold.seq, limit]);
  return part?.entries ?? 0;
}

const MOVED = `
  SELECT a.account_id AS "accountId" FROM ledger.accounts a LEFT JOIN usage.folds f USING (account_id)
  WHERE a.charged_nano <> coalesce(f.charged_nano, 0) OR a.credited_nano - a.charged_nano <> coalesce(f.balance_nano, 0)
  LIMIT $1`;

/** Accounts whose money is not the one that was counted last. */
export async function movedAccounts(q: Pick<Queryable, "query">, limit: number): Promise<Uuid[]> {
  return (await q.query<{ accountId: Uuid }>(MOVED, [limit])).map(({ accountId }) => accountId);
}

const NEXT = `
  SELECT a.account_id AS "accountId", EXISTS (
    SELECT FROM ledger.entries e WHERE e.account_id = a.account_id
      AND e.seq > coalesce((SELECT f.through_seq FROM usage.folds f WHERE f.account_id = a.account_id), 0)) AS behind
  FROM ledger.accounts a WHERE $1::uuid IS NULL OR a.account_id > $1 ORDER BY a.account_id LIMIT $2`;

/** The next accounts in order, and whether they have entries that are not counted: what moved no money shows only so. */
export function nextAccounts(
  q: Pick<Queryable, "query">,
  after: Uuid | null,
  limit: number,
): Promise<{ readonly accountId: Uuid; readonly behind: boolean }[]> {
  return q.query(NEXT, [after, limit]);
}
