/**
 * The statement that books many old requests at once, in the way of ledger.post_pages: entries in
 * the order of their times, numbered, with the balance after each, and every sum and total with
 * them.
 */

/** What days add up to is not what was kept of them any more. */
export const DAYS_ANEW = `unkept AS (DELETE FROM usage.daily), through AS (UPDATE usage.daily_through SET day = '-infinity'),
  unkept_accounts AS (DELETE FROM usage.account_daily), through_accounts AS (UPDATE usage.account_daily_through SET day = '-infinity')`;

/**
 * `made` selects account_id, budget_id, entry_id, at (none before the account's last entry),
 * amount_nano, held_nano, cost_nano, model, state, upstream, tokens (of the prompt, from a cache, of
 * the answer), reference and detail. The time of each follows from `duration_ms` and `first_ms`.
 * `grouped`: it selects group_id, too, which may be null.
 */
export function bookMade(made: string, grouped = false): string {
  const [column, group] = grouped ? [", budget3_id", ", group_id"] : ["", ""];
  const paid = grouped
    ? `(SELECT account_id, budget_id, amount_nano FROM made
        UNION ALL SELECT account_id, group_id, amount_nano FROM made WHERE group_id IS NOT NULL) paid`
    : "made";
  return `
  WITH made AS MATERIALIZED (${made}),
  ${DAYS_ANEW},
  numbered AS (
    SELECT m.*, a.entries + row_number() OVER w AS entry_no, (a.credited_nano - a.charged_nano - sum(m.amount_nano) OVER w)::bigint AS balance_nano
    FROM made m JOIN ledger.accounts a USING (account_id)
    WINDOW w AS (PARTITION BY m.account_id ORDER BY m.entry_id ROWS UNBOUNDED PRECEDING)),
  booked AS (
    INSERT INTO ledger.entries (account_id, entry_id, entry_no, at, amount_nano, balance_nano, held_nano, started_at, input_tokens, cached_tokens,
      output_tokens, cost_nano, kind, price_version, duration_ms, first_ms, budget_id, endpoint, model, state, upstream, reference, detail${column})
    SELECT account_id, entry_id, entry_no, at, amount_nano, balance_nano, held_nano, at - duration_ms * interval '1 millisecond', input_tokens,
      cached_tokens, output_tokens, cost_nano, CASE WHEN amount_nano > 0 THEN 'charge' ELSE 'release' END::ledger.entry_kind, 1, duration_ms, first_ms,
      budget_id, 'chat.completions', model, state, upstream, reference, detail${group}
    FROM numbered ORDER BY entry_id),
  summed AS (
    INSERT INTO usage.hourly AS t (account_id, hour, key_id, kind, model, state, upstream, ended, charged_nano, loss_nano, cost_nano,
      unknown_requests, unknown_charged_nano, input_tokens, cached_tokens, output_tokens, duration_ms, first_ms, firsts, first_id,
      last_id${group})
    SELECT account_id, date_trunc('hour', at, 'UTC'), budget_id, 'chat', model, state, coalesce(upstream, ''), count(*), sum(amount_nano)::bigint, 0,
      sum(cost_nano)::bigint, count(*) FILTER (WHERE unknown), coalesce(sum(amount_nano) FILTER (WHERE unknown), 0)::bigint, sum(input_tokens)::bigint,
      sum(cached_tokens)::bigint, sum(output_tokens)::bigint, sum(duration_ms), sum(first_ms), count(first_ms),
      min(entry_id::text COLLATE "C")::uuid, max(entry_id::text COLLATE "C")::uuid${group}
    FROM (SELECT *, cost_nano IS NULL AND (amount_nano > 0 OR upstream IS NOT NULL) AS unknown FROM made) m GROUP BY 1, 2, 3, 5, 6, 7${group}
    ON CONFLICT ON CONSTRAINT one_of_each DO UPDATE SET ended = t.ended + excluded.ended, charged_nano = t.charged_nano + excluded.charged_nano,
      cost_nano = coalesce(t.cost_nano + excluded.cost_nano, t.cost_nano, excluded.cost_nano),
      unknown_requests = t.unknown_requests + excluded.unknown_requests, unknown_charged_nano = t.unknown_charged_nano + excluded.unknown_charged_nano,
      input_tokens = t.input_tokens + excluded.input_tokens, cached_tokens = t.cached_tokens + excluded.cached_tokens,
      output_tokens = t.output_tokens + excluded.output_tokens, duration_ms = t.duration_ms + excluded.duration_ms,
      first_ms = t.first_ms + excluded.first_ms, firsts = t.firsts + excluded.firsts,
      first_id = least(t.first_id, excluded.first_id), last_id = greatest(t.last_id, excluded.last_id)),
  of_accounts AS (
    UPDATE ledger.accounts a SET charged_nano = a.charged_nano + s.charge, entries = a.entries + s.count, entered_at = s.at
    FROM (SELECT account_id, sum(amount_nano)::bigint AS charge, count(*) AS count, max(at) AS at FROM made GROUP BY account_id) s
    WHERE s.account_id = a.account_id)
  UPDATE ledger.budgets b SET charged_nano = b.charged_nano + s.charge, period_charged_nano = b.period_charged_nano + s.charge
  FROM (SELECT account_id, budget_id, sum(amount_nano)::bigint AS charge FROM ${paid} GROUP BY 1, 2) s
  WHERE s.account_id = b.account_id AND s.budget_id = b.budget_id`;
}
