/**
 * What each entry says: checked from one ordered pass over all of them. Those of an account are
 * numbered without gaps, each balance follows from the one before, and no time goes back: the SQL of
 * `verify`.
 */

/** What an entry did to the balance. */
const CHANGE =
  "CASE WHEN kind IN ('topup', 'adjust') THEN amount_nano WHEN kind IN ('charge', 'release') THEN -amount_nano ELSE 0 END";

/** Whether amounts are as those of the entry's kind are. */
const SHAPED = `CASE kind
    WHEN 'charge' THEN amount_nano > 0 AND held_nano IS NOT NULL AND held_nano >= amount_nano
    WHEN 'release' THEN amount_nano = 0 AND held_nano IS NOT NULL AND held_nano >= 0
    WHEN 'adjust' THEN amount_nano <> 0 AND held_nano IS NULL
    ELSE amount_nano > 0 AND held_nano IS NULL END`;

/**
 * The last step of each account is the account itself: it has so many entries, such a balance, and
 * the time of the last one. As few columns as will do: there is a row of each entry to be sorted.
 */
const STEPS = `
  SELECT account_id, entry_no, at, balance_nano AS after, balance_nano - ${CHANGE} AS before, NULL::bigint AS entries FROM ledger.entries
  UNION ALL
  SELECT account_id, 9223372036854775807, entered_at, NULL, credited_nano - charged_nano, entries FROM ledger.accounts`;

/** Which numbers of an account may be missing, because their months are no longer here. */
const DROPPED = `
  SELECT s.account_id, min(s.first_no) AS first_no, max(s.last_no) AS last_no, max(s.last_at) AS last_at
  FROM ledger.seals s JOIN ledger.months m USING (month) WHERE m.state = 'dropped' GROUP BY s.account_id`;

/**
 * `gap`: the numbers between a step and the one before it are of months that are no longer here.
 * That all of these are in the seals is checked by their sums.
 */
const CHAIN = `
  SELECT v."where", coalesce(e.entry_id, w.account_id)::text AS id, v.params
  FROM (
    SELECT s.*, lag(entry_no, 1, 0) OVER w AS last_no, lag(after, 1, 0) OVER w AS last_after, lag(at, 1, '-infinity') OVER w AS last_at
    FROM (${STEPS}) s WINDOW w AS (PARTITION BY account_id ORDER BY entry_no)) w
  LEFT JOIN (${DROPPED}) d USING (account_id)
  LEFT JOIN LATERAL (
    SELECT e.entry_id FROM ledger.entries e WHERE e.account_id = w.account_id AND e.entry_no = w.entry_no AND e.at = w.at LIMIT 1) e ON true
  CROSS JOIN LATERAL (SELECT coalesce(d.first_no <= w.last_no + 1 AND d.last_no >= coalesce(w.entries, w.entry_no - 1), false) AS gap) g
  CROSS JOIN LATERAL (VALUES
    ('account.entries', w.entries <> w.last_no AND NOT gap, json_build_object('expected', w.last_no::text, 'found', w.entries::text)),
    ('account.balance', w.entries IS NOT NULL AND w.before <> w.last_after AND NOT gap,
      json_build_object('expected', w.last_after::text, 'found', w.before::text)),
    ('account.enteredAt', w.entries IS NOT NULL AND w.at <> greatest(w.last_at, d.last_at),
      json_build_object('expected', greatest(w.last_at, d.last_at)::text, 'found', w.at::text)),
    ('entry.number', w.entries IS NULL AND w.entry_no <> w.last_no + 1 AND NOT gap,
      json_build_object('account', w.account_id, 'expected', (w.last_no + 1)::text, 'found', w.entry_no::text)),
    ('entry.balance', w.entries IS NULL AND w.before <> w.last_after AND NOT gap,
      json_build_object('account', w.account_id, 'expected', (w.last_after::numeric + w.after - w.before)::text, 'found', w.after::text)),
    ('entry.time', w.entries IS NULL AND w.at < w.last_at, json_build_object('account', w.account_id, 'expected', w.last_at::text, 'found', w.at::text))
  ) AS v ("where", wrong, params)
  WHERE v.wrong AND (w.before <> w.last_after
    OR CASE WHEN w.entries IS NULL THEN w.entry_no <> w.last_no + 1 OR w.at < w.last_at ELSE w.entries <> w.last_no OR w.at <> w.last_at END)`;

/** Only what comes from outside has a class of credit. */
const CLASSED = "class IS NULL OR kind IN ('topup', 'adjust')";

const FORMS = `
  SELECT v."where", entry_id::text AS id, v.params
  FROM ledger.entries, LATERAL (VALUES
    ('entry.amounts', ${SHAPED}, json_strip_nulls(json_build_object('kind', kind, 'amount', amount_nano::text, 'held', held_nano::text))),
    ('entry.class', ${CLASSED}, json_build_object('kind', kind, 'class', class))) AS v ("where", formed, params)
  WHERE NOT (${SHAPED} AND (${CLASSED})) AND NOT v.formed`;

export const ENTRY_CHECKS = [CHAIN, FORMS];
