/**
 * What of the books is not over: holds, pages that wait, requests that go on, and the directory of
 * what came from outside; each belongs to something that is there: the SQL of `verify`.
 */

/** A hold belongs to an account, to budgets of that account and to a journal, and has not ended. */
const HOLDS = [
  `SELECT 'hold.account' AS "where", h.hold_id::text AS id, json_build_object('account', h.account_id) AS params
   FROM ledger.holds h LEFT JOIN ledger.accounts a USING (account_id) WHERE a.account_id IS NULL`,

  `SELECT 'hold.budget' AS "where", h.hold_id::text AS id, json_build_object('account', h.account_id, 'budget', u.budget_id) AS params
   FROM ledger.holds h CROSS JOIN LATERAL (VALUES (h.budget_id), (h.budget2_id), (h.budget3_id)) AS u (budget_id)
   LEFT JOIN ledger.budgets b ON b.account_id = h.account_id AND b.budget_id = u.budget_id
   WHERE u.budget_id IS NOT NULL AND b.budget_id IS NULL`,

  `SELECT 'hold.journal' AS "where", h.hold_id::text AS id, json_build_object('account', h.account_id, 'journal', h.journal_id) AS params
   FROM ledger.holds h LEFT JOIN ledger.journals j USING (journal_id) WHERE h.journal_id IS NOT NULL AND j.journal_id IS NULL`,

  `SELECT 'hold.ended' AS "where", h.hold_id::text AS id, json_build_object('kind', e.kind, 'amount', e.amount_nano::text, 'at', e.at::text) AS params
   FROM ledger.holds h JOIN ledger.entries e ON e.account_id = h.account_id AND e.entry_id = h.hold_id`,
];

/** How long a page may wait for its poster before an operator has to look. */
const POSTED_WITHIN = "5 minutes";

/** A page is of a journal and of holds that are there: else it could not be posted. */
const PAGES = [
  `SELECT 'page.journal' AS "where", g.journal_id::text AS id, json_build_object('journal', g.journal_id, 'page', g.page_no::text) AS params
   FROM ledger.pages g LEFT JOIN ledger.journals j USING (journal_id) WHERE j.journal_id IS NULL`,

  `SELECT 'page.hold' AS "where", u.request_id::text AS id, json_build_object('account', u.account_id, 'hold', u.hold_id, 'page', u.page_no::text) AS params
   FROM (
     SELECT g.page_no, e.account_id, e.request_id, e.hold_id
     FROM ledger.page_columns g, unnest(g.account_ids, g.request_ids, g.hold_ids) AS e (account_id, request_id, hold_id)
     UNION
     SELECT g.page_no, n.account_id, n.request_id, n.hold_id
     FROM ledger.page_columns g, unnest(g.note_accounts, g.note_ids, g.note_holds) AS n (account_id, request_id, hold_id)) u
   LEFT JOIN ledger.holds h ON h.account_id = u.account_id AND h.hold_id = u.hold_id WHERE h.hold_id IS NULL`,

  `SELECT 'page.posted' AS "where", g.journal_id::text AS id, json_build_object('page', g.page_no::text, 'at', g.at::text) AS params
   FROM ledger.pages g WHERE g.at < clock_timestamp() - interval '${POSTED_WITHIN}'`,
];

/** A request that goes on has its journal and its hold, and all that share one have no more than it. */
const UNFINISHED = [
  `SELECT 'unfinished.journal' AS "where", u.request_id::text AS id, json_build_object('account', u.account_id, 'journal', u.journal_id) AS params
   FROM ledger.unfinished u LEFT JOIN ledger.journals j USING (journal_id) WHERE j.journal_id IS NULL`,

  `SELECT 'unfinished.hold' AS "where", u.request_id::text AS id, json_build_object('account', u.account_id, 'hold', u.hold_id) AS params
   FROM ledger.unfinished u LEFT JOIN ledger.holds h USING (account_id, hold_id) WHERE h.hold_id IS NULL`,

  `SELECT 'unfinished.held' AS "where", h.hold_id::text AS id, json_build_object('expected', h.held_nano::text, 'found', sum(u.held_nano)::text) AS params
   FROM ledger.holds h JOIN ledger.unfinished u USING (account_id, hold_id)
   GROUP BY h.account_id, h.hold_id, h.held_nano HAVING sum(u.held_nano) > h.held_nano`,
];

/** Of rows of directory.transfers: their entries stand in months that are here. */
export const OF_MONTHS_HERE = `NOT EXISTS (
  SELECT FROM ledger.months m
  WHERE m.state = 'dropped' AND m.month = date_trunc('month', ledger.time_of(entry_id) AT TIME ZONE 'Europe/Moscow')::date)`;

/** A reference of a top-up or adjustment names its entry. */
const REFERENCES = `
  SELECT 'transfer.entry' AS "where", d.entry_id::text AS id, json_build_object('account', d.account_id, 'kind', d.kind, 'reference', d.reference) AS params
  FROM (SELECT * FROM directory.transfers WHERE ${OF_MONTHS_HERE}) d LEFT JOIN ledger.entries e
    ON e.account_id = d.account_id AND e.entry_id = d.entry_id AND e.kind::text = d.kind AND e.reference = d.reference AND e.amount_nano = d.amount_nano
      AND coalesce(e.class, 'paid')::text = d.class AND coalesce(d.entry_no, e.entry_no) = e.entry_no
  WHERE e.entry_id IS NULL`;

/** The next two months are there, and no entry is of none. */
const MONTHS = [
  `SELECT 'months.ahead' AS "where", 'all' AS id, json_build_object('expected', '2', 'found', made::text) AS params
   FROM (SELECT count(to_regclass('ledger.entries_' || to_char(running + n * interval '1 month', 'YYYY_MM'))) AS made
         FROM (SELECT date_trunc('month', clock_timestamp() AT TIME ZONE 'Europe/Moscow') AS running) now, generate_series(1, 2) AS n) m
   WHERE made < 2`,

  `SELECT 'months.other' AS "where", 'all' AS id, json_build_object('expected', '0', 'found', count(*)::text) AS params
   FROM ledger.entries_other HAVING count(*) > 0`,
];

/**
 * What is sealed of a month is what its entries say, for as long as they are here; what is sealed of
 * all its accounts is what is known of the month.
 */
const SEALS = [
  `SELECT v."where", account_id::text AS id, json_build_object('month', to_char(month, 'YYYY-MM'), 'expected', v.expected::text, 'found', v.found::text) AS params
   FROM (
     SELECT m.month, e.account_id, count(*) AS entries,
       coalesce(sum(CASE e.kind WHEN 'charge' THEN -e.amount_nano ELSE e.amount_nano END) FILTER (WHERE e.kind IN ('topup', 'adjust', 'charge')), 0) AS moved
     FROM ledger.months m JOIN ledger.entries e ON e.entry_id >= ledger.first_id(m.month::timestamp AT TIME ZONE 'Europe/Moscow')
       AND e.entry_id < ledger.first_id((m.month + interval '1 month') AT TIME ZONE 'Europe/Moscow')
     WHERE m.state <> 'dropped' GROUP BY m.month, e.account_id) e
   FULL JOIN (
     SELECT s.month, s.account_id, s.entries, s.topped_up_nano + s.adjusted_nano - s.charged_nano AS moved
     FROM ledger.seals s JOIN ledger.months m USING (month) WHERE m.state <> 'dropped') s USING (month, account_id),
   LATERAL (VALUES ('seal.entries', coalesce(e.entries, 0), coalesce(s.entries, 0)), ('seal.moved', coalesce(e.moved, 0), coalesce(s.moved, 0)))
     AS v ("where", expected, found)
   WHERE v.expected <> v.found`,

  `SELECT 'seal.entries' AS "where", 'all' AS id, json_build_object('month', to_char(m.month, 'YYYY-MM'), 'expected', m.entries::text, 'found', s.entries::text) AS params
   FROM ledger.months m, LATERAL (SELECT coalesce(sum(s.entries), 0) AS entries FROM ledger.seals s WHERE s.month = m.month) s
   WHERE m.entries <> s.entries`,
];

export const OPEN_CHECKS = [...HOLDS, ...PAGES, ...UNFINISHED, REFERENCES, ...MONTHS, ...SEALS];
