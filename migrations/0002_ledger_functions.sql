-- What the ledger and the receipts do at each request: functions alone, which a later migration may replace or drop as a whole.

-- Leases and the journal: one mechanism for all money of requests and tasks.
-- A process sets money aside for an account and its budgets by a lease (a shared hold), or near an edge by a hold for exactly one request;
-- what ended and how far streams have come are elements of durable pages of its journal; the poster turns pages into entries and receipts.
-- Lock order everywhere: journals, holds, accounts, budgets, each by ascending id, so that no two batches of any processes wait for each other.
-- Where an UPDATE or DELETE locks without a SELECT before it, its rows come from a sorted source through the primary key's index, one way
-- or the other in ascending order, as long as tables are not read in heap order: hence `SET enable_seqscan = off` on those functions.

-- Locks accounts and returns, aligned with p_accounts (ascending, distinct; null where there is no such account):
-- whether it is blocked, how much is free, how much is held.
CREATE FUNCTION ledger.lock_accounts(p_accounts uuid[], OUT blocked boolean[], OUT room bigint[], OUT held bigint[]) LANGUAGE plpgsql AS $$
BEGIN
  WITH locked AS MATERIALIZED (
    SELECT a.account_id, a.blocked, a.credited_nano - a.charged_nano - a.held_nano AS room, a.held_nano
    FROM ledger.accounts a WHERE a.account_id = ANY (p_accounts) ORDER BY a.account_id FOR NO KEY UPDATE)
  SELECT array_agg(s.blocked), array_agg(s.room), array_agg(s.held_nano) INTO blocked, room, held
  FROM (SELECT l.* FROM unnest(p_accounts) WITH ORDINALITY AS u (account_id, at) LEFT JOIN locked l USING (account_id) ORDER BY u.at) s;
END $$;

-- The same for budgets; room is null where there is no limit, and counts the period of now.
CREATE FUNCTION ledger.lock_budgets(p_budgets uuid[], OUT accounts uuid[], OUT closed boolean[], OUT room bigint[], OUT held bigint[]) LANGUAGE plpgsql AS $$
DECLARE
  now_at CONSTANT timestamptz := clock_timestamp();
BEGIN
  WITH locked AS MATERIALIZED (
    SELECT b.budget_id, b.account_id, b.closed, b.held_nano,
      CASE WHEN b.limit_nano IS NOT NULL THEN greatest(0, b.limit_nano - b.held_nano
        - CASE WHEN b.period_start < ledger.period_start(b.period, now_at) THEN 0 ELSE b.period_charged_nano END) END AS room
    FROM ledger.budgets b WHERE b.budget_id = ANY (p_budgets) ORDER BY b.budget_id FOR NO KEY UPDATE)
  SELECT array_agg(s.account_id), array_agg(s.closed), array_agg(s.room), array_agg(s.held_nano) INTO accounts, closed, room, held
  FROM (SELECT l.* FROM unnest(p_budgets) WITH ORDINALITY AS u (budget_id, at) LEFT JOIN locked l USING (budget_id) ORDER BY u.at) s;
END $$;

-- Writes the held totals of locked accounts and budgets; a budget whose period has ended starts its new one here.
CREATE FUNCTION ledger.write_held(p_accounts uuid[], p_account_held bigint[], p_budgets uuid[], p_budget_held bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  now_at CONSTANT timestamptz := clock_timestamp();
BEGIN
  UPDATE ledger.accounts a SET held_nano = u.held
  FROM unnest(p_accounts, p_account_held) AS u (account_id, held)
  WHERE a.account_id = u.account_id AND a.held_nano <> u.held;
  UPDATE ledger.budgets b SET held_nano = u.held,
    period_charged_nano = CASE WHEN b.period_start < ledger.period_start(b.period, now_at) THEN 0 ELSE b.period_charged_nano END,
    period_start = greatest(b.period_start, ledger.period_start(b.period, now_at))
  FROM unnest(p_budgets, p_budget_held) AS u (budget_id, held)
  WHERE b.budget_id = u.budget_id AND b.held_nano <> u.held;
END $$;

-- Writes receipts; a null id or a null charge means that this one shall not be written. A receipt that exists stays as it is.
-- p_faults (null for none) says of a receipt why it cannot be written, which its caller knew already; its detail is then all there is of it.
-- Returns the positions of those that could not be written and were parked instead: one bad receipt never fails the others, nor the
-- caller's transaction.
-- p_costs and p_losses may be null: no cost is known, nothing was lost.
CREATE FUNCTION usage.record_many(
  p_requests uuid[], p_accounts uuid[], p_keys uuid[], p_endpoints text[], p_models_requested text[], p_models text[], p_states text[],
  p_started_at timestamptz[], p_details text[], p_faults text[], p_input_tokens bigint[], p_cached_tokens bigint[], p_output_tokens bigint[],
  p_upstreams text[], p_costs bigint[], p_losses bigint[], p_charges bigint[]) RETURNS integer[] LANGUAGE plpgsql AS $$
DECLARE
  parked integer[] := '{}';
BEGIN
  IF p_faults IS NULL THEN
    BEGIN
      INSERT INTO usage.requests (request_id, account_id, key_id, endpoint, model_requested, model, state, started_at, charged_nano, detail,
        input_tokens, cached_tokens, output_tokens, upstream, cost_nano, loss_nano)
      SELECT u.request_id, u.account_id, u.key_id, u.endpoint, u.model_requested, u.model, u.state, u.started_at, u.charge, u.detail::json,
        u.input_tokens, u.cached_tokens, u.output_tokens, u.upstream, u.cost, coalesce(u.loss, 0)
      FROM unnest(p_requests, p_accounts, p_keys, p_endpoints, p_models_requested, p_models, p_states, p_started_at, p_details, p_charges,
          p_input_tokens, p_cached_tokens, p_output_tokens, p_upstreams, p_costs, p_losses)
        AS u (request_id, account_id, key_id, endpoint, model_requested, model, state, started_at, detail, charge,
          input_tokens, cached_tokens, output_tokens, upstream, cost, loss)
      WHERE u.request_id IS NOT NULL AND u.charge IS NOT NULL
      ON CONFLICT (request_id) DO NOTHING;
      RETURN parked;
    EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded THEN
      NULL; -- one of them is bad: one by one, then
    END;
  END IF;
  FOR i IN 1 .. cardinality(p_requests) LOOP
    CONTINUE WHEN p_charges[i] IS NULL;
    IF p_faults[i] IS NOT NULL THEN
      INSERT INTO usage.parked (charged_nano, reason, receipt) VALUES (p_charges[i], p_faults[i], p_details[i]);
      parked := parked || i;
      CONTINUE;
    END IF;
    CONTINUE WHEN p_requests[i] IS NULL;
    IF usage.record_many(p_requests[i], p_accounts[i], p_keys[i], p_endpoints[i], p_models_requested[i], p_models[i], p_states[i], p_started_at[i],
        p_details[i], p_input_tokens[i], p_cached_tokens[i], p_output_tokens[i], p_upstreams[i], p_costs[i], p_losses[i], p_charges[i]) THEN
      parked := parked || i;
    END IF;
  END LOOP;
  RETURN parked;
END $$;

-- Writes one receipt; true when it was parked instead. p_loss may be null: nothing was lost.
CREATE FUNCTION usage.record_many(
  p_request uuid, p_account uuid, p_key uuid, p_endpoint text, p_model_requested text, p_model text, p_state text, p_started_at timestamptz,
  p_detail text, p_input_tokens bigint, p_cached_tokens bigint, p_output_tokens bigint, p_upstream text, p_cost bigint, p_loss bigint,
  p_charge bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF p_charge IS NOT NULL THEN
    INSERT INTO usage.requests (request_id, account_id, key_id, endpoint, model_requested, model, state, started_at, charged_nano, detail,
      input_tokens, cached_tokens, output_tokens, upstream, cost_nano, loss_nano)
    VALUES (p_request, p_account, p_key, p_endpoint, p_model_requested, p_model, p_state, p_started_at, p_charge, p_detail::json,
      p_input_tokens, p_cached_tokens, p_output_tokens, p_upstream, p_cost, coalesce(p_loss, 0))
    ON CONFLICT (request_id) DO NOTHING;
  END IF;
  RETURN false;
EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded THEN
  INSERT INTO usage.parked (charged_nano, reason, receipt) VALUES (p_charge, SQLERRM, jsonb_build_object(
    'requestId', p_request, 'accountId', p_account, 'keyId', p_key, 'endpoint', p_endpoint, 'modelRequested', p_model_requested, 'model', p_model,
    'state', p_state, 'startedAt', p_started_at, 'detail', p_detail)::text);
  RETURN true;
END $$;

-- Sets money aside for a batch, each row decided exactly and in order: later ones see what earlier ones took.
-- p_accounts and p_budgets are ascending and distinct; the positions point from the rows into them (budget 0: none).
-- A row with a lease id gets that lease, new or grown by what is wanted, at most 5 % of the room, where this covers the most it asks for.
-- Else it gets a hold of its own: the full amount if four of it fit, else the slice if it fits, else the minimum, else nothing.
-- A row that grows raises the hold that it names by its minimum, also in a closed budget and a blocked account.
-- codes: 0 full, 1 slice, 2 minimum, 9 lease (amounts: set aside) · 3 insufficient balance, 4 limit exceeded (amounts: available; others: held)
--        5 budget closed, 6 account blocked, 7 unknown account · 8 there is no such hold to grow · 10 the journal is fenced.
-- p_retry: an earlier run of these rows may have been committed; what it granted is reported instead of granted twice.
CREATE FUNCTION ledger.grant_many(
  p_journal uuid, p_accounts uuid[], p_budgets uuid[],
  p_account_at integer[], p_budget_at integer[], p_budget2_at integer[], p_budget3_at integer[],
  p_hold_ids uuid[], p_lease_ids uuid[], p_lease_wants bigint[], p_tokens bigint[], p_full bigint[], p_slice bigint[], p_minimum bigint[], p_grows boolean[],
  p_price_versions integer[], p_references text[], p_details text[], p_retry boolean,
  OUT codes integer[], OUT amounts bigint[], OUT others bigint[]) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  now_at CONSTANT timestamptz := clock_timestamp();
  a_blocked boolean[]; a_room bigint[]; a_held bigint[];
  b_accounts uuid[]; b_closed boolean[]; b_room bigint[]; b_held bigint[];
  exists_id uuid[]; made_token bigint[]; made bigint[]; made_lease boolean[];
  fresh boolean[]; ids uuid[]; leases boolean[];
  a integer; b integer; tight integer; room bigint; amount bigint; other bigint; code integer; owned boolean;
BEGIN
  IF p_journal IS NOT NULL THEN
    PERFORM FROM ledger.journals j WHERE j.journal_id = p_journal AND NOT j.fenced FOR KEY SHARE;
    IF NOT FOUND THEN
      codes := array_fill(10, ARRAY[cardinality(p_hold_ids)]);
      RETURN;
    END IF;
  END IF;
  IF p_retry OR true = ANY (p_grows) OR num_nonnulls(VARIADIC p_lease_ids) > 0 THEN
    WITH asked AS (
      SELECT u.at, p_accounts[u.a] AS account_id, u.hold_id, u.lease_id
      FROM unnest(p_account_at, p_hold_ids, p_lease_ids) WITH ORDINALITY AS u (a, hold_id, lease_id, at)),
    locked AS MATERIALIZED (
      SELECT h.account_id, h.hold_id, h.token, h.granted_nano
      FROM (SELECT account_id, hold_id FROM asked UNION SELECT account_id, lease_id FROM asked WHERE lease_id IS NOT NULL) k
      JOIN ledger.holds h USING (account_id, hold_id) ORDER BY h.hold_id FOR NO KEY UPDATE OF h)
    SELECT array_agg(o.hold_id ORDER BY q.at), array_agg(coalesce(l.token, o.token) ORDER BY q.at),
      array_agg(CASE WHEN l.token IS NULL THEN o.granted_nano ELSE l.granted_nano END ORDER BY q.at), array_agg(l.token IS NOT NULL ORDER BY q.at)
    INTO exists_id, made_token, made, made_lease
    FROM asked q
    LEFT JOIN locked o ON o.account_id = q.account_id AND o.hold_id = q.hold_id
    LEFT JOIN locked l ON l.account_id = q.account_id AND l.hold_id = q.lease_id AND l.token = p_tokens[q.at];
  END IF;
  SELECT l.blocked, l.room, l.held INTO a_blocked, a_room, a_held FROM ledger.lock_accounts(p_accounts) l;
  SELECT l.accounts, l.closed, l.room, l.held INTO b_accounts, b_closed, b_room, b_held FROM ledger.lock_budgets(p_budgets) l;
  FOR i IN 1 .. cardinality(p_hold_ids) LOOP
    a := p_account_at[i];
    amount := NULL;
    other := NULL;
    fresh[i] := false;
    leases[i] := false;
    owned := true;
    room := a_room[a];
    tight := 0;
    FOREACH b IN ARRAY ARRAY[p_budget_at[i], p_budget2_at[i], p_budget3_at[i]] LOOP
      CONTINUE WHEN b = 0;
      owned := owned AND (b_accounts[b] = p_accounts[a] AND (p_grows[i] OR NOT b_closed[b])) IS TRUE;
      IF b_room[b] < room THEN room := b_room[b]; tight := b; END IF;
    END LOOP;
    IF p_retry AND made_token[i] = p_tokens[i] THEN
      amount := made[i];
      leases[i] := made_lease[i];
      code := CASE WHEN made_lease[i] THEN 9 WHEN amount = p_full[i] THEN 0 WHEN amount = p_slice[i] THEN 1 ELSE 2 END;
    ELSIF p_grows[i] AND exists_id[i] IS NULL THEN code := 8;
    ELSIF a_room[a] IS NULL THEN code := 7;
    ELSIF a_blocked[a] AND NOT p_grows[i] THEN code := 6;
    ELSIF NOT owned THEN code := 5;
    ELSE
      IF p_lease_ids[i] IS NOT NULL AND least(p_lease_wants[i], room / 20) >= coalesce(p_full[i], p_slice[i]) THEN
        code := 9; amount := least(p_lease_wants[i], room / 20); leases[i] := true;
      ELSIF p_full[i] <= room / 4 THEN code := 0; amount := p_full[i];
      ELSIF p_slice[i] <= room THEN code := 1; amount := p_slice[i];
      ELSIF p_minimum[i] <= room THEN code := 2; amount := p_minimum[i];
      ELSIF p_minimum[i] > a_room[a] THEN code := 3; amount := a_room[a]; other := a_held[a];
      ELSE code := 4; amount := b_room[tight]; other := b_held[tight];
      END IF;
      IF code <= 2 OR code = 9 THEN
        fresh[i] := true;
        a_room[a] := a_room[a] - amount;
        a_held[a] := a_held[a] + amount;
        FOREACH b IN ARRAY ARRAY[p_budget_at[i], p_budget2_at[i], p_budget3_at[i]] LOOP
          CONTINUE WHEN b = 0;
          b_room[b] := b_room[b] - amount;
          b_held[b] := b_held[b] + amount;
        END LOOP;
      END IF;
    END IF;
    codes[i] := code;
    amounts[i] := amount;
    others[i] := other;
    ids[i] := CASE WHEN leases[i] THEN p_lease_ids[i] ELSE p_hold_ids[i] END;
  END LOOP;
  IF true = ANY (fresh) THEN
    PERFORM ledger.write_held(p_accounts, a_held, p_budgets, b_held);
    INSERT INTO ledger.holds AS h (account_id, hold_id, budget_id, budget2_id, budget3_id, journal_id, shared, held_nano, token, granted_nano,
      price_version, reference, detail, created_at)
    SELECT p_accounts[u.a], u.id, p_budgets[u.b], p_budgets[u.b2], p_budgets[u.b3], p_journal, u.lease, u.amount, u.token, u.amount,
      u.version, u.reference, u.detail, now_at
    FROM unnest(p_account_at, ids, p_budget_at, p_budget2_at, p_budget3_at, leases, amounts, p_tokens, p_price_versions, p_references, p_details, fresh)
      AS u (a, id, b, b2, b3, lease, amount, token, version, reference, detail, fresh)
    WHERE u.fresh
    ON CONFLICT (account_id, hold_id) DO UPDATE
      SET held_nano = h.held_nano + excluded.held_nano, token = excluded.token, granted_nano = excluded.granted_nano;
  END IF;
END $$;

-- Books pages of one journal up to p_last: holds give what was charged and what is over, accounts and budgets are charged, entries and
-- receipts are written, the unfinished are kept up to date, and the pages go, all in one transaction. Only one poster of a journal runs at
-- a time (ledger.post_journal), and it reads no page beyond p_last, so that what is added up is what is removed.
-- Returns the requests whose receipts could not be written and were parked.
CREATE FUNCTION ledger.post_pages(p_journal uuid, p_last bigint) RETURNS uuid[] LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  -- Entries of an account are out of order by no more than this, however late a page is posted (usage.marks counts on it).
  oldest CONSTANT timestamptz := clock_timestamp() - interval '4 seconds';
  day_start timestamptz; month_start timestamptz; moment timestamptz; begun_budgets uuid[]; begun timestamptz[];
  ended boolean; lossy boolean; any_noted boolean; any_notes boolean; faulty boolean;
  h_accounts uuid[]; h_ids uuid[]; h_budgets uuid[]; h_budgets2 uuid[]; h_budgets3 uuid[];
  h_charges bigint[]; h_freed bigint[];
  page record; positions integer[];
  parked uuid[] := '{}';
BEGIN
  SELECT max(g.at), bool_or(cardinality(g.request_ids) > 0), bool_or(g.losses IS NOT NULL), bool_or(g.noted IS NOT NULL),
    bool_or(g.note_ids IS NOT NULL), bool_or(g.faults IS NOT NULL)
  INTO moment, ended, lossy, any_noted, any_notes, faulty
  FROM ledger.pages g WHERE g.journal_id = p_journal AND g.page_no <= p_last;
  IF moment IS NULL THEN RETURN parked; END IF;
  moment := greatest(moment, oldest);

  -- In a statement of its own: the next one sees each hold, and its account's totals, as the grants that were waited for have left them.
  -- An UPDATE in this one would be checked against what its snapshot knows.
  PERFORM FROM (
    SELECT u.account_id, u.hold_id
    FROM ledger.pages g, unnest(g.account_ids, g.hold_ids) AS u (account_id, hold_id)
    WHERE g.journal_id = p_journal AND g.page_no <= p_last
    UNION
    SELECT u.account_id, u.hold_id
    FROM ledger.pages g, unnest(g.given_accounts, g.given_holds) AS u (account_id, hold_id)
    WHERE g.journal_id = p_journal AND g.page_no <= p_last AND g.given_holds IS NOT NULL) k
  JOIN ledger.holds h USING (account_id, hold_id) ORDER BY h.hold_id FOR NO KEY UPDATE OF h;

  WITH moves AS MATERIALIZED (
    SELECT m.account_id, m.hold_id, sum(m.charge)::bigint AS charge, sum(m.given)::bigint AS given, bool_or(m.over) AS over, bool_or(m.recalled) AS recalled
    FROM (
      SELECT u.account_id, u.hold_id, u.charge, 0::bigint AS given, u.hold_id = u.request_id AS over, false AS recalled
      FROM ledger.pages g, unnest(g.account_ids, g.hold_ids, g.request_ids, g.charges) AS u (account_id, hold_id, request_id, charge)
      WHERE g.journal_id = p_journal AND g.page_no <= p_last
      UNION ALL
      SELECT u.account_id, u.hold_id, 0, coalesce(u.given, 0), u.given IS NULL, true
      FROM ledger.pages g, unnest(g.given_accounts, g.given_holds, g.given) AS u (account_id, hold_id, given)
      WHERE g.journal_id = p_journal AND g.page_no <= p_last AND g.given_holds IS NOT NULL) m
    GROUP BY m.account_id, m.hold_id),
  locked AS MATERIALIZED (
    SELECT h.account_id, h.hold_id, h.budget_id, h.budget2_id, h.budget3_id, m.charge, m.over, m.recalled,
      CASE WHEN m.over THEN h.held_nano - m.charge ELSE m.given END AS freed
    FROM moves m JOIN ledger.holds h USING (account_id, hold_id)),
  lowered AS (
    UPDATE ledger.holds h SET held_nano = h.held_nano - l.charge - l.freed, recalled = h.recalled OR l.recalled
    FROM locked l WHERE NOT l.over AND h.account_id = l.account_id AND h.hold_id = l.hold_id),
  gone AS (DELETE FROM ledger.holds h USING locked l WHERE l.over AND h.account_id = l.account_id AND h.hold_id = l.hold_id)
  SELECT array_agg(l.account_id), array_agg(l.hold_id), array_agg(l.budget_id), array_agg(l.budget2_id), array_agg(l.budget3_id),
    array_agg(l.charge), array_agg(l.freed)
  INTO h_accounts, h_ids, h_budgets, h_budgets2, h_budgets3, h_charges, h_freed
  FROM locked l;

  IF h_ids IS NOT NULL THEN
    -- Also where nothing is charged: the row's lock is what keeps an account's entries in order.
    UPDATE ledger.accounts t SET held_nano = t.held_nano - s.charge - s.freed, charged_nano = t.charged_nano + s.charge
    FROM (SELECT u.account_id, sum(u.charge)::bigint AS charge, sum(u.freed)::bigint AS freed
          FROM unnest(h_accounts, h_charges, h_freed) AS u (account_id, charge, freed) GROUP BY u.account_id ORDER BY u.account_id) s
    WHERE t.account_id = s.account_id;
    day_start := ledger.period_start('day', moment);
    month_start := ledger.period_start('month', moment);
    WITH of_budgets AS (
      UPDATE ledger.budgets t SET held_nano = t.held_nano - s.charge - s.freed, charged_nano = t.charged_nano + s.charge,
        period_charged_nano = s.charge + CASE WHEN t.period_start < CASE t.period WHEN 'month' THEN month_start WHEN 'day' THEN day_start ELSE '-infinity' END THEN 0 ELSE t.period_charged_nano END,
        period_start = greatest(t.period_start, CASE t.period WHEN 'month' THEN month_start WHEN 'day' THEN day_start ELSE '-infinity' END)
      FROM (SELECT u.budget_id, sum(u.charge)::bigint AS charge, sum(u.freed)::bigint AS freed
            FROM unnest(h_budgets || h_budgets2 || h_budgets3, h_charges || h_charges || h_charges, h_freed || h_freed || h_freed) AS u (budget_id, charge, freed)
            WHERE u.budget_id IS NOT NULL GROUP BY u.budget_id ORDER BY u.budget_id) s
      WHERE t.budget_id = s.budget_id
      RETURNING t.budget_id, t.period_start)
    SELECT array_agg(b.budget_id), array_agg(b.period_start) INTO begun_budgets, begun FROM of_budgets b;
  END IF;

  IF ended THEN
    -- No entry is older than the period that its charge was counted in: a grant may have begun that one meanwhile.
    INSERT INTO ledger.entries (entry_id, kind, account_id, budget_id, debit_id, credit_id, amount_nano, held_nano, released_nano, price_version, at, reference)
    SELECT u.request_id, CASE WHEN u.charge > 0 THEN 'charge'::ledger.entry_kind ELSE 'release' END, u.account_id, h.budget_id,
      u.account_id, '00000000-0000-0000-0000-000000000002', u.charge, u.held, u.held - u.charge, u.version, greatest(g.at, oldest, b.period_start),
      coalesce(u.reference, 'request:req_' || replace(u.request_id::text, '-', ''))
    FROM ledger.pages g,
      unnest(g.request_ids, g.account_ids, g.hold_ids, g.held, g.charges, g.price_versions, g."references") WITH ORDINALITY
        AS u (request_id, account_id, hold_id, held, charge, version, reference, nth)
      LEFT JOIN unnest(h_ids, h_budgets) AS h (hold_id, budget_id) USING (hold_id)
      LEFT JOIN unnest(begun_budgets, begun) AS b (budget_id, period_start) ON b.budget_id = h.budget_id
    WHERE g.journal_id = p_journal AND g.page_no <= p_last
    ORDER BY g.page_no, u.nth;
    IF lossy THEN
      -- The id follows from the request's, so a loss too is booked once.
      INSERT INTO ledger.entries (entry_id, kind, account_id, budget_id, debit_id, credit_id, amount_nano, price_version, at, reference)
      SELECT md5(u.request_id::text || ' loss')::uuid, 'loss', u.account_id, h.budget_id,
        '00000000-0000-0000-0000-000000000003', '00000000-0000-0000-0000-000000000002', u.loss, u.version, greatest(g.at, oldest, b.period_start),
        coalesce(u.reference, 'request:req_' || replace(u.request_id::text, '-', ''))
      FROM ledger.pages g,
        unnest(g.request_ids, g.account_ids, g.hold_ids, g.losses, g.price_versions, g."references")
          AS u (request_id, account_id, hold_id, loss, version, reference)
        LEFT JOIN unnest(h_ids, h_budgets) AS h (hold_id, budget_id) USING (hold_id)
        LEFT JOIN unnest(begun_budgets, begun) AS b (budget_id, period_start) ON b.budget_id = h.budget_id
      WHERE g.journal_id = p_journal AND g.page_no <= p_last AND u.loss > 0;
    END IF;
    BEGIN
      IF faulty THEN RAISE data_exception; END IF;
      INSERT INTO usage.requests (request_id, account_id, key_id, endpoint, model_requested, model, state, started_at, charged_nano, detail,
        input_tokens, cached_tokens, output_tokens, upstream, cost_nano, loss_nano)
      SELECT u.request_id, u.account_id, u.key_id, u.endpoint, u.model_requested, u.model, u.state, u.started_at, u.charge, u.detail::json,
        u.input_tokens, u.cached_tokens, u.output_tokens, u.upstream, u.cost, coalesce(u.loss, 0)
      FROM ledger.pages g,
        unnest(g.request_ids, g.account_ids, g.key_ids, g.endpoints, g.models_requested, g.models, g.states, g.started_at, g.charges, g.details,
          g.input_tokens, g.cached_tokens, g.output_tokens, g.upstreams, g.costs, g.receipt_losses)
          AS u (request_id, account_id, key_id, endpoint, model_requested, model, state, started_at, charge, detail,
            input_tokens, cached_tokens, output_tokens, upstream, cost, loss)
      WHERE g.journal_id = p_journal AND g.page_no <= p_last AND u.endpoint IS NOT NULL
      ON CONFLICT (request_id) DO NOTHING;
    EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded THEN
      FOR page IN SELECT g.* FROM ledger.pages g WHERE g.journal_id = p_journal AND g.page_no <= p_last AND g.endpoints IS NOT NULL ORDER BY g.page_no LOOP
        positions := usage.record_many(
          ARRAY(SELECT CASE WHEN u.endpoint IS NOT NULL THEN u.id END FROM unnest(page.request_ids, page.endpoints) AS u (id, endpoint)),
          page.account_ids, page.key_ids, page.endpoints, page.models_requested, page.models, page.states, page.started_at, page.details,
          coalesce(page.faults, array_fill(NULL::text, ARRAY[cardinality(page.request_ids)])),
          page.input_tokens, page.cached_tokens, page.output_tokens, page.upstreams, page.costs, page.receipt_losses, page.charges);
        parked := parked || ARRAY(SELECT page.request_ids[at] FROM unnest(positions) AS at);
      END LOOP;
    END;
    IF any_noted THEN
      DELETE FROM ledger.unfinished t
      USING ledger.pages g, unnest(g.account_ids, g.request_ids, g.noted) AS u (account_id, request_id, noted)
      WHERE g.journal_id = p_journal AND g.page_no <= p_last AND u.noted AND t.account_id = u.account_id AND t.request_id = u.request_id;
    END IF;
  END IF;

  IF any_notes THEN
    INSERT INTO ledger.unfinished AS t (account_id, request_id, journal_id, hold_id, held_nano, recorded_nano, price_version, noted_at, detail)
    SELECT DISTINCT ON (u.account_id, u.request_id) u.account_id, u.request_id, p_journal, u.hold_id, u.held, least(u.recorded, u.held), u.version, g.at, u.detail
    FROM ledger.pages g,
      unnest(g.note_accounts, g.note_ids, g.note_holds, g.note_held, g.note_recorded, g.note_versions, g.note_details) WITH ORDINALITY
        AS u (account_id, request_id, hold_id, held, recorded, version, detail, nth)
    WHERE g.journal_id = p_journal AND g.page_no <= p_last AND g.note_ids IS NOT NULL
      AND NOT EXISTS (SELECT FROM ledger.pages e WHERE e.journal_id = p_journal AND e.page_no <= p_last AND e.noted IS NOT NULL AND u.request_id = ANY (e.request_ids))
    ORDER BY u.account_id, u.request_id, g.page_no DESC, u.nth DESC
    ON CONFLICT (account_id, request_id) DO UPDATE
      SET held_nano = excluded.held_nano, recorded_nano = excluded.recorded_nano, noted_at = excluded.noted_at, detail = excluded.detail;
  END IF;

  DELETE FROM ledger.pages g WHERE g.journal_id = p_journal AND g.page_no <= p_last;
  RETURN parked;
END $$;

-- The lock that the poster of a journal holds.
CREATE FUNCTION ledger.poster_place(p_journal uuid) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT ('x' || left(replace(p_journal::text, '-', ''), 16))::bit(64)::bigint
$$;

-- Books the oldest pages of a journal, as many as hold about p_most elements: true in `more` when others are left.
-- Waits for another poster of this journal; p_wait false: does nothing while there is one, and `more` is null.
CREATE FUNCTION ledger.post_journal(p_journal uuid, p_most integer, p_wait boolean, OUT more boolean, OUT parked uuid[]) LANGUAGE plpgsql AS $$
DECLARE
  place CONSTANT bigint := ledger.poster_place(p_journal);
  bound bigint;
  newest bigint;
BEGIN
  more := false;
  parked := '{}';
  -- What a crash of the server undoes of this is posted again: the pages are there.
  PERFORM set_config('synchronous_commit', 'off', true);
  IF p_wait THEN
    PERFORM pg_advisory_xact_lock(place);
  ELSIF NOT pg_try_advisory_xact_lock(place) THEN
    more := NULL;
    RETURN;
  END IF;
  SELECT max(s.page_no) FILTER (WHERE s.before < p_most), max(s.page_no) INTO bound, newest
  FROM (SELECT c.page_no, sum(c.elements) OVER (ORDER BY c.page_no) - c.elements AS before
        FROM (SELECT g.page_no, cardinality(g.request_ids) + coalesce(cardinality(g.note_ids), 0) + coalesce(cardinality(g.given_holds), 0) AS elements
              FROM ledger.pages g WHERE g.journal_id = p_journal) c) s;
  IF bound IS NULL THEN RETURN; END IF;
  parked := ledger.post_pages(p_journal, bound);
  more := newest > bound;
END $$;

-- Ends one hold in the caller's transaction: an own page, posted at once. charge beyond the hold is a loss.
-- settled and released are null where the hold has ended before (earlier: what it was charged then), or never was.
CREATE FUNCTION ledger.settle(p_account uuid, p_hold uuid, p_charge bigint, p_loss bigint, OUT settled bigint, OUT released bigint, OUT earlier bigint)
LANGUAGE plpgsql AS $$
DECLARE
  half CONSTANT bigint := 4611686018427387903;
  hold ledger.holds;
  loss bigint;
BEGIN
  SELECT * INTO hold FROM ledger.holds h WHERE h.account_id = p_account AND h.hold_id = p_hold FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    SELECT e.amount_nano INTO earlier FROM ledger.entries e WHERE e.entry_id = p_hold AND e.account_id = p_account;
    RETURN;
  END IF;
  settled := least(p_charge, hold.held_nano);
  released := hold.held_nano - settled;
  loss := least(p_loss, half) + least(greatest(p_charge - hold.held_nano, 0), half); -- absurd usage must not stop the settlement by its size
  INSERT INTO ledger.pages (journal_id, page_no, request_ids, account_ids, hold_ids, held, charges, losses, price_versions, "references")
  VALUES (p_hold, 1, ARRAY[p_hold], ARRAY[p_account], ARRAY[p_hold], ARRAY[hold.held_nano], ARRAY[settled],
    CASE WHEN loss > 0 THEN ARRAY[loss] END, ARRAY[hold.price_version], ARRAY[hold.reference]);
  PERFORM ledger.post_pages(p_hold, 1);
END $$;

-- Releases whatever a journal still holds, and forgets it. Pages that nobody has posted yet are posted: what they charge is of these holds.
-- Does nothing while there are unfinished requests, for the same reason.
CREATE FUNCTION ledger.close_journal(p_journal uuid) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  accounts uuid[]; budgets uuid[]; amounts bigint[]; budget_amounts bigint[];
BEGIN
  PERFORM pg_advisory_xact_lock(ledger.poster_place(p_journal));
  PERFORM FROM ledger.journals j WHERE j.journal_id = p_journal FOR UPDATE;
  PERFORM ledger.post_pages(p_journal, 9223372036854775807);
  IF EXISTS (SELECT FROM ledger.unfinished u WHERE u.journal_id = p_journal) THEN RETURN; END IF;
  WITH locked AS MATERIALIZED (
    SELECT h.account_id, h.hold_id, h.budget_id, h.budget2_id, h.budget3_id, h.held_nano
    FROM ledger.holds h WHERE h.journal_id = p_journal ORDER BY h.hold_id FOR UPDATE),
  gone AS (DELETE FROM ledger.holds h USING locked l WHERE h.account_id = l.account_id AND h.hold_id = l.hold_id)
  SELECT array_agg(l.account_id), array_agg(l.held_nano),
    array_agg(l.budget_id) || array_agg(l.budget2_id) || array_agg(l.budget3_id), array_agg(l.held_nano) || array_agg(l.held_nano) || array_agg(l.held_nano)
  INTO accounts, amounts, budgets, budget_amounts
  FROM locked l;
  IF accounts IS NOT NULL THEN
    UPDATE ledger.accounts t SET held_nano = t.held_nano - s.amount
    FROM (SELECT u.account_id, sum(u.amount)::bigint AS amount FROM unnest(accounts, amounts) AS u (account_id, amount) GROUP BY 1 ORDER BY 1) s
    WHERE t.account_id = s.account_id;
    UPDATE ledger.budgets t SET held_nano = t.held_nano - s.amount
    FROM (SELECT u.budget_id, sum(u.amount)::bigint AS amount FROM unnest(budgets, budget_amounts) AS u (budget_id, amount)
          WHERE u.budget_id IS NOT NULL GROUP BY 1 ORDER BY 1) s
    WHERE t.budget_id = s.budget_id;
  END IF;
  DELETE FROM ledger.journals j WHERE j.journal_id = p_journal;
END $$;

-- What people are shown as held: what is set aside for tasks and requests. What of a lease no request uses is given back when it is
-- needed, so it counts as available.
CREATE FUNCTION ledger.in_use(p_account uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT (SELECT coalesce(sum(h.held_nano), 0) FROM ledger.holds h WHERE h.account_id = p_account AND NOT h.shared)::bigint
    + (SELECT coalesce(sum(u.held_nano), 0) FROM ledger.unfinished u WHERE u.account_id = p_account AND u.hold_id <> u.request_id)::bigint
$$;
CREATE FUNCTION ledger.in_use(p_account uuid, p_budget uuid) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(CASE WHEN h.shared THEN (SELECT coalesce(sum(u.held_nano), 0) FROM ledger.unfinished u
      WHERE u.account_id = p_account AND u.hold_id = h.hold_id) ELSE h.held_nano END), 0)::bigint
  FROM ledger.holds h WHERE h.account_id = p_account AND p_budget IN (h.budget_id, h.budget2_id, h.budget3_id)
$$;
