-- Credit has a class: what was paid, and what was given, as a trial or as a bonus (docs/decisions/0026-classes-of-credit.md). What was given is
-- used up first, a trial before a bonus. So two marks on an account say what is left of each class, and no charge has to touch them: the trial
-- is used up when charged_nano comes to the one, all that was given when it comes to the other.

CREATE TYPE ledger.credit_class AS ENUM ('paid', 'trial', 'bonus');

ALTER TABLE ledger.accounts
  ADD trial_until_nano bigint NOT NULL DEFAULT 0,
  ADD bonus_until_nano bigint NOT NULL DEFAULT 0;      -- never below the one of the trial, nor above credited_nano

-- Of a top-up or adjustment; null: paid.
ALTER TABLE ledger.entries ADD class ledger.credit_class;

ALTER TABLE directory.transfers
  ADD class text NOT NULL DEFAULT 'paid',
  ADD entry_no bigint;                                 -- of its entry, which may be archived; null: it was before this migration
UPDATE directory.transfers d SET entry_no = e.entry_no FROM ledger.entries e WHERE e.account_id = d.account_id AND e.entry_id = d.entry_id;

ALTER TABLE ledger.seals
  ADD trial_nano bigint NOT NULL DEFAULT 0,            -- given in the month, less what was taken back
  ADD bonus_nano bigint NOT NULL DEFAULT 0,
  ADD gifts_no bigint,                                 -- the number of the last entry of the month that gave or took back something given,
  ADD trial_until_nano bigint,                         -- and the marks right after it; null: there was none
  ADD bonus_until_nano bigint;

-- The marks after each entry that gave or took back something given, in order: a gift of a moves its mark to max(mark, charged) + a, and the mark
-- of all that was given is moved by each. Told in sums, so that no row waits for the one before it: after the gifts a1 … an, made when c1 … cn had
-- been charged, the mark is (a1 + … + an) + max(mark before, ci - (a1 + … + ai-1)). Begins where months that are no longer here have ended.
CREATE VIEW ledger.gifts AS
  WITH begun AS (
    SELECT DISTINCT ON (s.account_id) s.account_id, s.gifts_no, s.trial_until_nano, s.bonus_until_nano
    FROM ledger.seals s JOIN ledger.months m USING (month) WHERE m.state = 'dropped' AND s.gifts_no IS NOT NULL
    ORDER BY s.account_id, s.gifts_no DESC),
  moved AS (
    SELECT d.account_id, d.entry_id, d.entry_no, e.class, e.amount_nano,
      a.credited_nano - e.balance_nano
        - coalesce(sum(d.amount_nano) OVER (PARTITION BY d.account_id ORDER BY d.entry_no DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS charged
    FROM directory.transfers d JOIN ledger.accounts a USING (account_id) LEFT JOIN ledger.entries e USING (account_id, entry_id)
    WHERE d.entry_no IS NOT NULL AND d.account_id IN (SELECT t.account_id FROM directory.transfers t WHERE t.class <> 'paid')),
  given AS (
    SELECT m.*, coalesce(b.trial_until_nano, 0) AS trial_before, coalesce(b.bonus_until_nano, 0) AS bonus_before,
      sum(m.amount_nano) OVER w AS all_given, coalesce(sum(m.amount_nano) FILTER (WHERE m.class = 'trial') OVER w, 0) AS trial_given
    FROM moved m LEFT JOIN begun b USING (account_id)
    WHERE m.class IN ('trial', 'bonus') AND m.entry_no > coalesce(b.gifts_no, 0)
    WINDOW w AS (PARTITION BY m.account_id ORDER BY m.entry_no))
  SELECT account_id, entry_id, entry_no,
    trial_given + greatest(trial_before, max(charged - trial_given + amount_nano) FILTER (WHERE class = 'trial') OVER w) AS trial_until_nano,
    all_given + greatest(bonus_before, max(charged - all_given + amount_nano) OVER w) AS bonus_until_nano
  FROM given WINDOW w AS (PARTITION BY account_id ORDER BY entry_no);

-- As before; and a seal says what was given in its month, and it works on every PostgreSQL that is supported.
CREATE OR REPLACE FUNCTION ledger.seal_month(p_month date, OUT refused text, OUT entries bigint) LANGUAGE plpgsql AS $$
DECLARE
  name CONSTANT text := 'entries_' || to_char(p_month, 'YYYY_MM');
  ends CONSTANT timestamptz := (p_month + interval '1 month') AT TIME ZONE 'Europe/Moscow';
  first CONSTANT uuid := ledger.first_id(p_month::timestamp AT TIME ZONE 'Europe/Moscow');
  next CONSTANT uuid := ledger.first_id(ends);
BEGIN
  IF ends > clock_timestamp() - interval '2 days' THEN
    refused := 'running';
    RETURN;
  END IF;
  -- Changes nothing and takes SHARE ROW EXCLUSIVE, for which LOCK TABLE wants, before PostgreSQL 17, rights that are revoked.
  EXECUTE format('ALTER TABLE ledger.%I ENABLE TRIGGER append_only', name);
  -- Pages before what they become.
  IF EXISTS (SELECT FROM ledger.pages g, unnest(g.request_ids || coalesce(g.note_ids, '{}')) AS id WHERE id >= first AND id < next)
    OR EXISTS (SELECT FROM ledger.unfinished u WHERE u.request_id >= first AND u.request_id < next)
    OR EXISTS (SELECT FROM ledger.holds h WHERE NOT h.shared AND h.hold_id >= first AND h.hold_id < next) THEN
    refused := 'awaited';
    RETURN;
  END IF;
  INSERT INTO ledger.seals (account_id, month, entries, topped_up_nano, adjusted_nano, charged_nano, lost_nano, first_no, last_no, numbers, first_at, last_at,
    trial_nano, bonus_nano)
  SELECT e.account_id, p_month, count(*), coalesce(sum(e.amount_nano) FILTER (WHERE e.kind = 'topup'), 0),
    coalesce(sum(e.amount_nano) FILTER (WHERE e.kind = 'adjust'), 0), coalesce(sum(e.amount_nano) FILTER (WHERE e.kind = 'charge'), 0),
    coalesce(sum(e.amount_nano) FILTER (WHERE e.kind = 'loss'), 0), min(e.entry_no), max(e.entry_no), sum(e.entry_no), min(e.at), max(e.at),
    coalesce(sum(e.amount_nano) FILTER (WHERE e.class = 'trial'), 0), coalesce(sum(e.amount_nano) FILTER (WHERE e.class = 'bonus'), 0)
  FROM ledger.entries e WHERE e.entry_id >= first AND e.entry_id < next GROUP BY e.account_id;
  IF EXISTS (SELECT FROM ledger.seals s WHERE s.month = p_month AND s.last_at >= ledger.period_start('day', clock_timestamp())) THEN
    DELETE FROM ledger.seals s WHERE s.month = p_month;
    refused := 'today';
    RETURN;
  END IF;
  UPDATE ledger.seals s SET gifts_no = g.entry_no, trial_until_nano = g.trial_until_nano, bonus_until_nano = g.bonus_until_nano
  FROM (
    SELECT DISTINCT ON (u.account_id) u.account_id, u.entry_no, u.trial_until_nano, u.bonus_until_nano
    FROM ledger.gifts u WHERE u.entry_id >= first AND u.entry_id < next ORDER BY u.account_id, u.entry_no DESC) g
  WHERE s.month = p_month AND s.account_id = g.account_id;
  INSERT INTO ledger.budget_seals (account_id, budget_id, month, charged_nano, period_start, since_nano, late_nano)
  SELECT b.account_id, b.budget_id, p_month, sum(e.amount_nano), b.period_start, coalesce(sum(e.amount_nano) FILTER (WHERE e.at >= b.period_start), 0),
    coalesce(sum(e.amount_nano) FILTER (WHERE e.at >= ledger.period_start('month', clock_timestamp())), 0)
  FROM ledger.entries e, unnest(ARRAY[e.budget_id, e.budget2_id, e.budget3_id]) AS u (budget_id)
    JOIN ledger.budgets b USING (budget_id)
  WHERE e.entry_id >= first AND e.entry_id < next AND e.kind = 'charge' AND b.account_id = e.account_id
  GROUP BY b.account_id, b.budget_id;
  entries := coalesce((SELECT sum(s.entries) FROM ledger.seals s WHERE s.month = p_month), 0);
  INSERT INTO ledger.months (month, entries) VALUES (p_month, seal_month.entries);
  EXECUTE format('CREATE TRIGGER sealed BEFORE INSERT ON ledger.%I FOR EACH ROW EXECUTE FUNCTION ledger.refuse_late()', name);
END $$;
