-- A post costs less: holds are locked and lowered by one statement, arrays of a page are unfolded side by side without a copy of each,
-- sums of amounts stay integers. What it books is the same.
-- Oldest version that may run beside it: 0.1.0

-- PostgreSQL's own sum of bigint is a numeric, which is made anew for each row and cast back. This one fails, as that cast would, beyond what a bigint holds.
CREATE AGGREGATE ledger.total (bigint) (SFUNC = int8pl, STYPE = bigint, COMBINEFUNC = int8pl, PARALLEL = SAFE);

CREATE OR REPLACE FUNCTION ledger.post_shard(p_journal uuid, p_last bigint, p_shard integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  -- No entry is booked with an older time, however late its page is posted.
  oldest CONSTANT timestamptz := clock_timestamp() - interval '4 seconds';
  moment timestamptz; newest_period timestamptz;
  ended bigint; booked bigint; lossy boolean; any_noted boolean; any_notes boolean; faulty boolean;
  h_accounts uuid[]; h_ids uuid[]; h_budgets uuid[]; h_budgets2 uuid[]; h_budgets3 uuid[];
  h_charges bigint[]; h_freed bigint[]; h_ends bigint[]; h_lost bigint[]; h_over boolean[];
  -- Of each hold's account: how many entries it had, how many it gets for ended requests, its balance before and behind them, their time.
  h_numbers bigint[]; h_ended bigint[]; h_before bigint[]; h_after bigint[]; h_at timestamptz[];
  parked uuid[] := '{}';
BEGIN
  SELECT max(g.at), sum(cardinality(g.request_ids)), bool_or(g.losses IS NOT NULL), bool_or(g.noted IS NOT NULL),
    bool_or(g.note_ids IS NOT NULL), bool_or(g.faults IS NOT NULL)
  INTO moment, ended, lossy, any_noted, any_notes, faulty
  FROM ledger.pages g WHERE g.journal_id = p_journal AND g.page_no <= p_last;
  IF moment IS NULL THEN RETURN parked; END IF;
  moment := greatest(moment, oldest);
  IF p_shard IS NOT NULL THEN
    SELECT count(*) INTO ended FROM ledger.pages g, unnest(g.account_ids) AS u (account_id)
    WHERE g.journal_id = p_journal AND g.page_no <= p_last AND ledger.shard_of(u.account_id) = p_shard;
  END IF;

  -- The totals have a statement of their own, which sees them as the grants that this one waited for have left them: an UPDATE is checked against
  -- what its snapshot knows. This one's knows each grant that one of its pages spends from. It locks holds in the order of their primary key,
  -- whichever way it joins them, as grants do.
  -- Arrays are unfolded in select lists: several in one FROM would each become a table first.
  WITH moves AS MATERIALIZED (
    SELECT m.account_id, m.hold_id, ledger.total(m.charge) AS charge, ledger.total(m.given) AS given, sum(m.ends) AS ends, sum(m.lost) AS lost,
      bool_or(m.over) AS over, bool_or(m.recalled) AS recalled
    FROM (
      SELECT u.account_id, u.hold_id, u.charge, 0::bigint AS given, 1 AS ends, CASE WHEN u.loss > 0 THEN 1 ELSE 0 END AS lost,
        u.hold_id = u.request_id AS over, false AS recalled
      FROM (SELECT unnest(g.account_ids) AS account_id, unnest(g.hold_ids) AS hold_id, unnest(g.request_ids) AS request_id, unnest(g.charges) AS charge,
              unnest(g.losses) AS loss
            FROM ledger.pages g WHERE g.journal_id = p_journal AND g.page_no <= p_last) u
      WHERE p_shard IS NULL OR ledger.shard_of(u.account_id) = p_shard
      UNION ALL
      SELECT u.account_id, u.hold_id, 0, coalesce(u.given, 0), 0, 0, u.given IS NULL, true
      FROM ledger.pages g, unnest(g.given_accounts, g.given_holds, g.given) AS u (account_id, hold_id, given)
      WHERE g.journal_id = p_journal AND g.page_no <= p_last AND (p_shard IS NULL OR ledger.shard_of(u.account_id) = p_shard) AND g.given_holds IS NOT NULL) m
    GROUP BY m.account_id, m.hold_id ORDER BY m.account_id, m.hold_id),
  lowered AS (
    UPDATE ledger.holds h SET held_nano = CASE WHEN m.over THEN h.held_nano ELSE h.held_nano - m.charge - m.given END, recalled = h.recalled OR m.recalled
    FROM moves m WHERE h.account_id = m.account_id AND h.hold_id = m.hold_id
    RETURNING h.account_id, h.hold_id, h.budget_id, h.budget2_id, h.budget3_id, m.charge, m.ends, m.lost, m.over,
      CASE WHEN m.over THEN h.held_nano - m.charge ELSE m.given END AS freed)
  SELECT array_agg(l.account_id), array_agg(l.hold_id), array_agg(l.budget_id), array_agg(l.budget2_id), array_agg(l.budget3_id),
    array_agg(l.charge), array_agg(l.freed), array_agg(l.ends), array_agg(l.lost), array_agg(l.over)
  INTO h_accounts, h_ids, h_budgets, h_budgets2, h_budgets3, h_charges, h_freed, h_ends, h_lost, h_over
  FROM lowered l;
  -- Behind the update of all, so that the locks are taken in order.
  IF true = ANY (h_over) THEN
    DELETE FROM ledger.holds h USING unnest(h_accounts, h_ids, h_over) AS u (account_id, hold_id, over)
    WHERE u.over AND h.account_id = u.account_id AND h.hold_id = u.hold_id;
  END IF;

  IF h_ids IS NOT NULL THEN
    -- Under the account's lock its entries get their numbers, and a time that never goes back.
    WITH of_accounts AS (
      UPDATE ledger.accounts t SET held_nano = t.held_nano - s.charge - s.freed, charged_nano = t.charged_nano + s.charge,
        entries = t.entries + s.ends + s.lost, entered_at = CASE WHEN s.ends > 0 THEN greatest(t.entered_at, moment) ELSE t.entered_at END
      FROM (SELECT u.account_id, ledger.total(u.charge) AS charge, ledger.total(u.freed) AS freed, ledger.total(u.ends) AS ends, ledger.total(u.lost) AS lost
            FROM (SELECT unnest(h_accounts) AS account_id, unnest(h_charges) AS charge, unnest(h_freed) AS freed, unnest(h_ends) AS ends,
                    unnest(h_lost) AS lost) u
            GROUP BY u.account_id ORDER BY u.account_id) s
      WHERE t.account_id = s.account_id
      RETURNING t.account_id, t.entries - s.ends - s.lost AS entries, s.ends, t.credited_nano - t.charged_nano AS balance, s.charge, t.entered_at)
    SELECT array_agg(s.entries), array_agg(s.ends), array_agg(s.balance + s.charge), array_agg(s.balance), array_agg(s.entered_at)
    INTO h_numbers, h_ended, h_before, h_after, h_at
    FROM (SELECT a.* FROM unnest(h_accounts) WITH ORDINALITY AS u (account_id, nth) JOIN of_accounts a USING (account_id) ORDER BY u.nth) s;
    WITH of_budgets AS (
      UPDATE ledger.budgets t SET held_nano = t.held_nano - s.charge - s.freed, charged_nano = t.charged_nano + s.charge,
        period_charged_nano = s.charge + CASE WHEN t.period_start < ledger.period_start(t.period, s.at) THEN 0 ELSE t.period_charged_nano END,
        period_start = greatest(t.period_start, ledger.period_start(t.period, s.at))
      FROM (SELECT u.account_id, u.budget_id, ledger.total(u.charge) AS charge, ledger.total(u.freed) AS freed, min(u.at) AS at
            FROM (SELECT unnest(h_accounts || h_accounts || h_accounts) AS account_id, unnest(h_budgets || h_budgets2 || h_budgets3) AS budget_id,
                    unnest(h_charges || h_charges || h_charges) AS charge, unnest(h_freed || h_freed || h_freed) AS freed,
                    unnest(h_at || h_at || h_at) AS at) u
            WHERE u.budget_id IS NOT NULL GROUP BY u.account_id, u.budget_id ORDER BY u.budget_id) s
      WHERE t.account_id = s.account_id AND t.budget_id = s.budget_id
      RETURNING t.period_start)
    SELECT max(b.period_start) INTO newest_period FROM of_budgets b;
    IF newest_period > moment THEN
      -- No entry is older than the period that its charge was counted in, which a grant began meanwhile; nor younger: all go by one time.
      UPDATE ledger.accounts t SET entered_at = newest_period WHERE t.account_id = ANY (h_accounts) AND t.entered_at < newest_period;
      h_at := ARRAY(SELECT greatest(u.at, newest_period) FROM unnest(h_at) WITH ORDINALITY AS u (at, nth) ORDER BY u.nth);
      UPDATE ledger.budgets t SET period_charged_nano = s.charge, period_start = ledger.period_start(t.period, s.at)
      FROM (SELECT u.account_id, u.budget_id, ledger.total(u.charge) AS charge, min(u.at) AS at
            FROM unnest(h_accounts || h_accounts || h_accounts, h_budgets || h_budgets2 || h_budgets3, h_charges || h_charges || h_charges,
              h_at || h_at || h_at) AS u (account_id, budget_id, charge, at)
            WHERE u.budget_id IS NOT NULL GROUP BY u.account_id, u.budget_id) s
      WHERE t.account_id = s.account_id AND t.budget_id = s.budget_id AND t.period_start < ledger.period_start(t.period, s.at);
    END IF;
  END IF;

  IF ended > 0 THEN
    WITH batch AS MATERIALIZED (
      SELECT u.*, h.budget_id, h.budget2_id, h.budget3_id, h.at, h.entries + row_number() OVER w AS entry_no,
        h.balance - ledger.total(u.charge) OVER w AS balance,
        CASE WHEN u.reference LIKE 'task:%' THEN 'task' ELSE usage.kind_of(u.endpoint) END AS kind,
        u.cost IS NULL AND (u.charge > 0 OR u.endpoint IS NOT NULL AND u.upstream IS NOT NULL) AS unknown
      FROM (SELECT g.page_no, generate_subscripts(g.account_ids, 1) AS nth, unnest(g.account_ids) AS account_id, unnest(g.request_ids) AS request_id,
              unnest(g.hold_ids) AS hold_id, unnest(g.held) AS held, unnest(g.charges) AS charge, unnest(g.losses) AS loss, unnest(g.price_versions) AS version,
              unnest(g."references") AS reference, unnest(g.endpoints) AS endpoint, unnest(g.models_requested) AS model_requested, unnest(g.models) AS model,
              unnest(g.states) AS state, unnest(g.started_at) AS started_at, unnest(g.details) AS detail, unnest(g.input_tokens) AS input_tokens,
              unnest(g.cached_tokens) AS cached_tokens, unnest(g.output_tokens) AS output_tokens, unnest(g.upstreams) AS upstream, unnest(g.costs) AS cost,
              unnest(g.durations) AS duration, unnest(g.firsts) AS first
            FROM ledger.pages g WHERE g.journal_id = p_journal AND g.page_no <= p_last) u
        JOIN (SELECT unnest(h_accounts) AS account_id, unnest(h_ids) AS hold_id, unnest(h_budgets) AS budget_id, unnest(h_budgets2) AS budget2_id,
                unnest(h_budgets3) AS budget3_id, unnest(h_numbers) AS entries, unnest(h_before) AS balance, unnest(h_at) AS at) h USING (account_id, hold_id)
      WHERE p_shard IS NULL OR ledger.shard_of(u.account_id) = p_shard
      WINDOW w AS (PARTITION BY account_id ORDER BY u.page_no, u.nth ROWS UNBOUNDED PRECEDING)),
    entered AS (
      INSERT INTO ledger.entries (account_id, entry_id, entry_no, at, amount_nano, balance_nano, held_nano, started_at, input_tokens, cached_tokens,
        output_tokens, cost_nano, kind, price_version, duration_ms, first_ms, budget_id, budget2_id, budget3_id, endpoint, model_requested, model,
        state, upstream, reference, detail)
      SELECT b.account_id, b.request_id, b.entry_no, b.at, b.charge, b.balance, b.held, b.started_at, b.input_tokens, b.cached_tokens,
        b.output_tokens, b.cost, CASE WHEN b.charge > 0 THEN 'charge'::ledger.entry_kind ELSE 'release' END, b.version, b.duration, b.first,
        b.budget_id, b.budget2_id, b.budget3_id, b.endpoint, nullif(b.model_requested, b.model), b.model,
        b.state, b.upstream, b.reference, CASE WHEN b.endpoint IS NOT NULL THEN b.detail END
      FROM batch b),
    summed AS (
      INSERT INTO usage.hourly AS t (account_id, hour, key_id, member_id, group_id, kind, model, state, upstream, ended, charged_nano, loss_nano,
        cost_nano, unknown_requests, unknown_charged_nano, input_tokens, cached_tokens, output_tokens, duration_ms, first_ms, firsts, first_id, last_id)
      SELECT b.account_id, date_trunc('hour', b.at, 'UTC'), b.budget_id, b.budget2_id, b.budget3_id, b.kind, coalesce(b.model, ''),
        coalesce(b.state, ''), coalesce(b.upstream, ''), count(*), ledger.total(b.charge),
        -- One absurd loss stops no sum: beyond a million roubles it is not believed.
        ledger.total(least(coalesce(b.loss, 0), 1000000000000000)), ledger.total(b.cost),
        count(*) FILTER (WHERE b.unknown), coalesce(ledger.total(b.charge) FILTER (WHERE b.unknown), 0),
        coalesce(ledger.total(b.input_tokens), 0), coalesce(ledger.total(b.cached_tokens), 0), coalesce(ledger.total(b.output_tokens), 0),
        coalesce(sum(b.duration), 0), coalesce(sum(b.first), 0), count(b.first),
        (min(ARRAY[b.request_id]))[1], (max(ARRAY[b.request_id]))[1]
      FROM batch b GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9 ORDER BY 1, 2
      ON CONFLICT ON CONSTRAINT one_of_each DO UPDATE SET ended = t.ended + excluded.ended, charged_nano = t.charged_nano + excluded.charged_nano,
        loss_nano = t.loss_nano + excluded.loss_nano, cost_nano = coalesce(t.cost_nano + excluded.cost_nano, t.cost_nano, excluded.cost_nano),
        unknown_requests = t.unknown_requests + excluded.unknown_requests, unknown_charged_nano = t.unknown_charged_nano + excluded.unknown_charged_nano,
        input_tokens = t.input_tokens + excluded.input_tokens, cached_tokens = t.cached_tokens + excluded.cached_tokens,
        output_tokens = t.output_tokens + excluded.output_tokens, duration_ms = t.duration_ms + excluded.duration_ms,
        first_ms = t.first_ms + excluded.first_ms, firsts = t.firsts + excluded.firsts, first_id = least(t.first_id, excluded.first_id),
        last_id = greatest(t.last_id, excluded.last_id))
    SELECT count(*) INTO booked FROM batch;
    IF booked <> ended THEN
      RAISE EXCEPTION 'journal % ends % requests, but holds for % of them', p_journal, ended, booked USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF lossy THEN
      INSERT INTO ledger.entries (account_id, entry_id, entry_no, at, amount_nano, balance_nano, kind, price_version, budget_id, budget2_id, budget3_id, reference)
      SELECT account_id, ledger.loss_id(u.request_id), h.entries + h.ended + row_number() OVER (PARTITION BY account_id ORDER BY g.page_no, u.nth),
        h.at, u.loss, h.balance, 'loss', u.version, h.budget_id, h.budget2_id, h.budget3_id,
        coalesce(u.reference, 'request:req_' || replace(u.request_id::text, '-', ''))
      FROM ledger.pages g,
        unnest(g.account_ids, g.request_ids, g.hold_ids, g.losses, g.price_versions, g."references") WITH ORDINALITY
          AS u (account_id, request_id, hold_id, loss, version, reference, nth)
        JOIN unnest(h_accounts, h_ids, h_budgets, h_budgets2, h_budgets3, h_numbers, h_ended, h_after, h_at)
          AS h (account_id, hold_id, budget_id, budget2_id, budget3_id, entries, ended, balance, at) USING (account_id, hold_id)
      WHERE g.journal_id = p_journal AND g.page_no <= p_last AND (p_shard IS NULL OR ledger.shard_of(u.account_id) = p_shard) AND u.loss > 0;
    END IF;
    IF faulty THEN
      WITH kept AS (
        INSERT INTO usage.parked (charged_nano, reason, receipt)
        SELECT u.charge, u.fault, u.detail FROM ledger.pages g, unnest(g.account_ids, g.charges, g.faults, g.details) AS u (account_id, charge, fault, detail)
        WHERE g.journal_id = p_journal AND g.page_no <= p_last AND (p_shard IS NULL OR ledger.shard_of(u.account_id) = p_shard) AND u.fault IS NOT NULL)
      SELECT array_agg(u.request_id) INTO parked
      FROM ledger.pages g, unnest(g.account_ids, g.request_ids, g.faults) AS u (account_id, request_id, fault)
      WHERE g.journal_id = p_journal AND g.page_no <= p_last AND (p_shard IS NULL OR ledger.shard_of(u.account_id) = p_shard) AND u.fault IS NOT NULL;
    END IF;
    IF any_noted THEN
      DELETE FROM ledger.unfinished t
      USING ledger.pages g, unnest(g.account_ids, g.request_ids, g.noted) AS u (account_id, request_id, noted)
      WHERE g.journal_id = p_journal AND g.page_no <= p_last AND (p_shard IS NULL OR ledger.shard_of(u.account_id) = p_shard) AND u.noted AND t.account_id = u.account_id AND t.request_id = u.request_id;
    END IF;
  END IF;

  IF any_notes THEN
    INSERT INTO ledger.unfinished AS t (account_id, request_id, journal_id, hold_id, held_nano, recorded_nano, price_version, noted_at, detail)
    SELECT DISTINCT ON (u.account_id, u.request_id) u.account_id, u.request_id, p_journal, u.hold_id, u.held, least(u.recorded, u.held), u.version, g.at, u.detail
    FROM ledger.pages g,
      unnest(g.note_accounts, g.note_ids, g.note_holds, g.note_held, g.note_recorded, g.note_versions, g.note_details) WITH ORDINALITY
        AS u (account_id, request_id, hold_id, held, recorded, version, detail, nth)
    WHERE g.journal_id = p_journal AND g.page_no <= p_last AND (p_shard IS NULL OR ledger.shard_of(u.account_id) = p_shard) AND g.note_ids IS NOT NULL
      AND NOT EXISTS (SELECT FROM ledger.pages e WHERE e.journal_id = p_journal AND e.page_no <= p_last AND e.noted IS NOT NULL AND u.request_id = ANY (e.request_ids))
    ORDER BY u.account_id, u.request_id, g.page_no DESC, u.nth DESC
    ON CONFLICT (account_id, request_id) DO UPDATE
      SET held_nano = excluded.held_nano, recorded_nano = excluded.recorded_nano, noted_at = excluded.noted_at, detail = excluded.detail;
  END IF;

  RETURN parked;
END $function$;

-- Holds are locked by their primary key everywhere, as an UPDATE of many does that reads it.
DO $$
DECLARE
  definition text;
BEGIN
  FOR definition IN
    SELECT pg_get_functiondef(p.oid) FROM pg_proc p WHERE p.pronamespace = 'ledger'::regnamespace AND p.proname IN ('grant_shard', 'release_shard') ORDER BY 1
  LOOP
    IF strpos(definition, 'ORDER BY h.hold_id FOR ') = 0 THEN
      RAISE EXCEPTION 'holds are not locked as they were: %', definition;
    END IF;
    EXECUTE replace(definition, 'ORDER BY h.hold_id FOR ', 'ORDER BY h.account_id, h.hold_id FOR ');
  END LOOP;
END $$;
