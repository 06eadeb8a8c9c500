/**
 * What is left of each class of credit follows from what was given and what had been charged by
 * then: the SQL of `verify`.
 */

/**
 * The marks of an account are those behind its last gift; where its month is no longer here, those
 * of the seal.
 */
const MARKS = `
  SELECT v."where", a.account_id::text AS id, json_build_object('expected', v.expected::text, 'found', v.found::text) AS params
  FROM ledger.accounts a
  LEFT JOIN (
    SELECT DISTINCT ON (account_id) account_id, trial_until_nano, bonus_until_nano FROM ledger.gifts ORDER BY account_id, entry_no DESC) g USING (account_id)
  LEFT JOIN (
    SELECT DISTINCT ON (s.account_id) s.account_id, s.trial_until_nano, s.bonus_until_nano
    FROM ledger.seals s JOIN ledger.months m USING (month) WHERE m.state = 'dropped' AND s.gifts_no IS NOT NULL
    ORDER BY s.account_id, s.gifts_no DESC) s USING (account_id),
  LATERAL (VALUES
    ('account.trial', coalesce(g.trial_until_nano, s.trial_until_nano, 0), a.trial_until_nano),
    ('account.bonus', coalesce(g.bonus_until_nano, s.bonus_until_nano, 0), a.bonus_until_nano)) AS v ("where", expected, found)
  WHERE v.expected <> v.found`;

/** Nothing was taken from what was paid, or from the trial, that was not left of it. */
const TAKEN = `
  SELECT v."where", account_id::text AS id, json_build_object('expected', '0', 'found', v.found::text) AS params
  FROM ledger.accounts, LATERAL (VALUES
    ('account.paid', credited_nano - greatest(charged_nano, bonus_until_nano)),
    ('account.given', bonus_until_nano - trial_until_nano)) AS v ("where", found)
  WHERE v.found < 0`;

/** What is sealed of a month is what its gifts say, for as long as they are here. */
const SEALS = `
  SELECT v."where", s.account_id::text AS id,
    json_build_object('month', to_char(s.month, 'YYYY-MM'), 'expected', coalesce(v.expected, 0)::text, 'found', coalesce(v.found, 0)::text) AS params
  FROM ledger.seals s JOIN ledger.months m USING (month)
  LEFT JOIN ledger.gifts g ON g.account_id = s.account_id AND g.entry_no = s.gifts_no,
  LATERAL (VALUES ('seal.trial', g.trial_until_nano, s.trial_until_nano), ('seal.bonus', g.bonus_until_nano, s.bonus_until_nano)) AS v ("where", expected, found)
  WHERE m.state <> 'dropped' AND v.expected IS DISTINCT FROM v.found`;

export const CLASS_CHECKS = [MARKS, TAKEN, SEALS];
