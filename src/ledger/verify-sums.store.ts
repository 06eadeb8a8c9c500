/**
 * What of the books is a sum of entries, holds and hourly figures, checked from one pass over the
 * entries: the SQL of `verify`.
 */

import { OF_MONTHS_HERE } from "./verify-open.store.ts";

/** Of an entry's time: the hours of UTC. Periods of budgets begin at such hours, too. */
const HOUR = "date_bin('1 hour', at, timestamptz '2000-01-01 00:00:00+00')";

/** The entries by account, hour and budgets. */
const HERE = `
  SELECT account_id, ${HOUR} AS hour, budget_id, budget2_id, budget3_id, count(*) AS entries, sum(entry_no) AS numbers,
    count(*) FILTER (WHERE kind IN ('topup', 'adjust')) AS transfers, count(*) FILTER (WHERE kind IN ('charge', 'release')) AS ended,
    coalesce(sum(amount_nano) FILTER (WHERE kind IN ('topup', 'adjust')), 0) AS credited,
    coalesce(sum(amount_nano) FILTER (WHERE kind IN ('charge', 'release')), 0) AS charged,
    coalesce(sum(least(amount_nano, 1000000000000000)) FILTER (WHERE kind = 'loss'), 0) AS loss, coalesce(sum(cost_nano), 0) AS cost,
    coalesce(sum(input_tokens), 0) AS input_tokens, coalesce(sum(cached_tokens), 0) AS cached_tokens, coalesce(sum(output_tokens), 0) AS output_tokens
  FROM ledger.entries GROUP BY 1, 2, 3, 4, 5`;

/** What months that are no longer here came to, by account. */
const DROPPED = `
  SELECT s.account_id, max(date_bin('1 hour', s.last_at, timestamptz '2000-01-01 00:00:00+00')) AS hour, sum(s.entries) AS entries, sum(s.numbers) AS numbers,
    sum(s.topped_up_nano + s.adjusted_nano) AS credited, sum(s.charged_nano) AS charged
  FROM ledger.seals s JOIN ledger.months m USING (month) WHERE m.state = 'dropped' GROUP BY s.account_id`;

/** All that was ever booked, by account. */
const SUMS = `
  SELECT account_id, sum(entries) AS entries, sum(numbers) AS numbers, sum(transfers) AS transfers, sum(credited) AS credited, sum(charged) AS charged,
    bool_or(dropped) AS dropped
  FROM (
    SELECT account_id, entries, numbers, transfers, credited, charged, false AS dropped FROM here
    UNION ALL SELECT account_id, entries, numbers, 0, credited, charged, true FROM dropped) s GROUP BY account_id`;

/**
 * The same by each of the three budgets, and in the budget's period. Of a month that is no longer
 * here the seal says what was charged in the period that ran when it was sealed, and in the month of
 * that day: no other period can run still.
 */
const OF_BUDGETS = `
  SELECT s.account_id, u.budget_id, sum(s.charged) AS charged, coalesce(sum(s.charged) FILTER (WHERE s.hour >= b.period_start), 0) AS period_charged,
    sum(s.entries) AS entries, b.budget_id IS NULL AS unknown
  FROM here s CROSS JOIN LATERAL (VALUES (s.budget_id), (s.budget2_id), (s.budget3_id)) AS u (budget_id)
  LEFT JOIN ledger.budgets b ON b.account_id = s.account_id AND b.budget_id = u.budget_id
  WHERE u.budget_id IS NOT NULL GROUP BY s.account_id, u.budget_id, b.budget_id
  UNION ALL
  SELECT s.account_id, s.budget_id, s.charged_nano, CASE b.period_start WHEN '-infinity' THEN s.charged_nano WHEN s.period_start THEN s.since_nano
      WHEN ledger.period_start('month', m.sealed_at) THEN s.late_nano ELSE 0 END, 0, false
  FROM ledger.budget_seals s JOIN ledger.months m USING (month) JOIN ledger.budgets b USING (account_id, budget_id)
  WHERE m.state = 'dropped'`;

/** What an account was credited and charged, by its entries; what it holds, by its holds. */
const ACCOUNTS = `
  SELECT v."where", t.account_id::text AS id, v.params
  FROM (
    SELECT a.*, coalesce(b.credited, 0) AS credited, coalesce(b.charged, 0) AS charged, coalesce(h.held, 0) AS held,
      b.entries AS booked, b.numbers, a.entries::numeric * (a.entries + 1) / 2 AS all_numbers, b.dropped
    FROM ledger.accounts a
    LEFT JOIN sums b USING (account_id)
    LEFT JOIN (SELECT account_id, sum(held_nano) AS held FROM ledger.holds GROUP BY account_id) h USING (account_id)) t,
  LATERAL (VALUES
    ('account.credited', t.credited <> t.credited_nano, json_build_object('expected', t.credited::text, 'found', t.credited_nano::text)),
    ('account.charged', t.charged <> t.charged_nano, json_build_object('expected', t.charged::text, 'found', t.charged_nano::text)),
    ('account.held', t.held <> t.held_nano, json_build_object('expected', t.held::text, 'found', t.held_nano::text)),
    ('account.available', t.credited - t.charged - t.held < 0,
      json_build_object('expected', '0', 'found', (t.credited - t.charged - t.held)::text)),
    ('account.numbers', t.dropped AND (t.booked <> t.entries OR t.numbers <> t.all_numbers), json_build_object(
      'expected', t.entries::text, 'expectedSum', trunc(t.all_numbers)::text, 'found', t.booked::text, 'foundSum', t.numbers::text))
  ) AS v ("where", wrong, params) WHERE v.wrong`;

/**
 * The same for each of the three budgets of an entry or hold; a period's total counts the charges
 * since the period began, and what was carried over into it.
 */
const BUDGETS = `
  SELECT v."where", t.budget_id::text, json_build_object('expected', v.expected, 'found', v.found)
  FROM (
    SELECT b.*, coalesce(e.charged, 0) AS charged, coalesce(h.held, 0) AS held,
      coalesce(e.period_charged, 0) + CASE WHEN b.carried_at >= b.period_start THEN b.carried_nano ELSE 0 END AS period_charged
    FROM ledger.budgets b
    LEFT JOIN (
      SELECT account_id, budget_id, sum(charged) AS charged, sum(period_charged) AS period_charged FROM of_budgets GROUP BY 1, 2) e
      USING (account_id, budget_id)
    LEFT JOIN (
      SELECT h.account_id, u.budget_id, sum(h.held_nano) AS held
      FROM ledger.holds h CROSS JOIN LATERAL (VALUES (h.budget_id), (h.budget2_id), (h.budget3_id)) AS u (budget_id)
      WHERE u.budget_id IS NOT NULL GROUP BY 1, 2) h USING (account_id, budget_id)) t,
  LATERAL (VALUES
    ('budget.charged', t.charged::text, t.charged_nano::text, t.charged <> t.charged_nano),
    ('budget.periodCharged', t.period_charged::text, t.period_charged_nano::text, t.period_charged <> t.period_charged_nano),
    ('budget.held', t.held::text, t.held_nano::text, t.held <> t.held_nano),
    ('budget.limit', (t.limit_nano + t.excess_nano)::text, (t.period_charged + t.held)::text,
      t.period_charged + t.held > t.limit_nano + t.excess_nano)
  ) AS v ("where", expected, found, wrong) WHERE v.wrong`;

/** Entries belong to an account that exists, and to budgets of it. */
const OWNERS = `
  SELECT 'entry.account', s.account_id::text, json_build_object('account', s.account_id, 'entries', s.entries::text)
  FROM sums s WHERE NOT EXISTS (SELECT FROM ledger.accounts a WHERE a.account_id = s.account_id)
  UNION ALL
  SELECT 'entry.budget', s.budget_id::text, json_build_object('account', s.account_id, 'budget', s.budget_id, 'entries', s.entries::text)
  FROM of_budgets s WHERE s.unknown`;

/** Of months that are here, as many references as entries of top-ups and adjustments: that each has its own is checked besides. */
const TRANSFERS = `
  SELECT 'account.transfers', account_id::text, json_build_object('expected', coalesce(e.transfers, 0)::text, 'found', coalesce(d.transfers, 0)::text)
  FROM sums e
  FULL JOIN (SELECT account_id, count(*) AS transfers FROM directory.transfers WHERE ${OF_MONTHS_HERE} GROUP BY 1) d USING (account_id)
  WHERE coalesce(e.transfers, 0) <> coalesce(d.transfers, 0)`;

const NONE = "'00000000-0000-0000-0000-000000000000'::uuid";

/**
 * What pages sum by is what the entries of the hour say, by account and by the budgets that paid.
 * All hours up to the last one of a month that is no longer here are one, of which the seals say
 * what was charged.
 */
const HOURS = `
  SELECT v."where", account_id::text, json_build_object('hour', to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"'),
    'expected', v.expected::text, 'found', v.found::text)
  FROM (
    SELECT account_id, hour, coalesce(budget_id, ${NONE}) AS key_id, coalesce(budget2_id, ${NONE}) AS member_id, coalesce(budget3_id, ${NONE}) AS group_id,
      ended, charged, loss, cost, input_tokens, cached_tokens, output_tokens
    FROM here s WHERE (ended > 0 OR loss > 0) AND NOT EXISTS (SELECT FROM dropped d WHERE d.account_id = s.account_id AND s.hour <= d.hour)
    UNION ALL
    SELECT d.account_id, d.hour, ${NONE}, ${NONE}, ${NONE}, NULL, d.charged
      + coalesce((SELECT sum(s.charged) FROM here s WHERE s.account_id = d.account_id AND s.hour <= d.hour), 0), NULL, NULL, NULL, NULL, NULL
    FROM dropped d) e
  FULL JOIN (
    SELECT account_id, hour, coalesce(key_id, ${NONE}) AS key_id, coalesce(member_id, ${NONE}) AS member_id, coalesce(group_id, ${NONE}) AS group_id,
      sum(ended) AS ended, sum(charged_nano) AS charged, sum(loss_nano) AS loss, coalesce(sum(cost_nano), 0) AS cost, sum(input_tokens) AS input_tokens,
      sum(cached_tokens) AS cached_tokens, sum(output_tokens) AS output_tokens
    FROM usage.hourly s WHERE NOT EXISTS (SELECT FROM dropped d WHERE d.account_id = s.account_id AND s.hour <= d.hour) GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT d.account_id, d.hour, ${NONE}, ${NONE}, ${NONE}, NULL, sum(s.charged_nano), NULL, NULL, NULL, NULL, NULL
    FROM dropped d JOIN usage.hourly s ON s.account_id = d.account_id AND s.hour <= d.hour GROUP BY 1, 2) h
    USING (account_id, hour, key_id, member_id, group_id),
  LATERAL (VALUES
    ('hour.ended', coalesce(e.ended, 0), coalesce(h.ended, 0)),
    ('hour.charged', coalesce(e.charged, 0), coalesce(h.charged, 0)),
    ('hour.loss', coalesce(e.loss, 0), coalesce(h.loss, 0)),
    ('hour.cost', coalesce(e.cost, 0), coalesce(h.cost, 0)),
    ('hour.inputTokens', coalesce(e.input_tokens, 0), coalesce(h.input_tokens, 0)),
    ('hour.cachedTokens', coalesce(e.cached_tokens, 0), coalesce(h.cached_tokens, 0)),
    ('hour.outputTokens', coalesce(e.output_tokens, 0), coalesce(h.output_tokens, 0))
  ) AS v ("where", expected, found)
  WHERE v.expected <> v.found AND ((e.ended, e.charged, e.loss, e.cost, e.input_tokens, e.cached_tokens, e.output_tokens)
    = (h.ended, h.charged, h.loss, h.cost, h.input_tokens, h.cached_tokens, h.output_tokens)) IS NOT TRUE`;

/** All books together: what entries moved is what customers have. */
const ALL = `
  SELECT 'books.sum', 'all', json_build_object('expected', e.total::text, 'found', a.total::text)
  FROM (SELECT coalesce(sum(credited - charged), 0) AS total FROM sums) e,
    (SELECT coalesce(sum(credited_nano::numeric - charged_nano), 0) AS total FROM ledger.accounts) a
  WHERE e.total <> a.total`;

export const SUM_CHECKS = `
  WITH here AS MATERIALIZED (${HERE}),
  dropped AS MATERIALIZED (${DROPPED}),
  sums AS MATERIALIZED (${SUMS}),
  of_budgets AS MATERIALIZED (${OF_BUDGETS})
  ${ACCOUNTS} UNION ALL ${BUDGETS} UNION ALL ${OWNERS} UNION ALL ${TRANSFERS} UNION ALL ${HOURS} UNION ALL ${ALL}`;
