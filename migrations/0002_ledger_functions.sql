-- What the ledger does at each request: functions alone, which a later migration may replace or drop as a whole.

-- Leases and the journal: one mechanism for all money of requests and tasks.
-- A process sets money aside for an account and its budgets by a lease (a shared hold), or near an edge by a hold for exactly one request;
-- what ended and how far streams have come are elements of durable pages of its journal; the poster turns pages into entries and receipts.
-- Lock order everywhere: journals, holds, accounts, budgets, each by ascending id, so that no two batches of any processes wait for each other.
-- Where an UPDATE or DELETE locks without a SELECT before it, its rows come from a sorted source through the primary key's index, one way
-- or the other in ascending order, as long as tables are not read in heap order: hence `SET enable_seqscan = off` on those functions.

-- Where accounts are spread over servers by a distributed PostgreSQL, grants and posts take one of its parts after the other, so that each
-- statement touches rows of one: there `spread` says true, and `shard_of` asks where an account lies (docs/decisions/0022-keys-by-account.md).
CREATE FUNCTION ledger.spread() RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT false $$;
CREATE FUNCTION ledger.shard_of(account uuid) RETURNS integer LANGUAGE sql IMMUTABLE AS $$ SELECT 0 $$;

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

-- The same for budgets, ascending, each with its account; closed is null where there is none, room where there is no limit, which counts the
-- period of now.
CREATE FUNCTION ledger.lock_budgets(p_accounts uuid[], p_budgets uuid[], OUT closed boolean[], OUT room bigint[], OUT held bigint[]) LANGUAGE plpgsql AS $$
DECLARE
  now_at CONSTANT timestamptz := clock_timestamp();
BEGIN
  WITH locked AS MATERIALIZED (
    SELECT b.account_id, b.budget_id, b.closed, b.held_nano,
      CASE WHEN b.limit_nano IS NOT NULL THEN greatest(0, b.limit_nano - b.held_nano
        - CASE WHEN b.period_start < ledger.period_start(b.period, now_at) THEN 0 ELSE b.period_charged_nano END) END AS room
    FROM unnest(p_accounts, p_budgets) AS k (account_id, budget_id) JOIN ledger.budgets b USING (account_id, budget_id)
    ORDER BY b.budget_id FOR NO KEY UPDATE OF b)
  SELECT array_agg(s.closed), array_agg(s.room), array_agg(s.held_nano) INTO closed, room, held
  FROM (SELECT l.* FROM unnest(p_accounts, p_budgets) WITH ORDINALITY AS u (account_id, budget_id, at)
        LEFT JOIN locked l USING (account_id, budget_id) ORDER BY u.at) s;
END $$;

-- Writes the held totals of locked accounts and budgets; a budget whose period has ended starts its new one here.
CREATE FUNCTION ledger.write_held(
  p_accounts uuid[], p_account_held bigint[], p_budget_accounts uuid[], p_budgets uuid[], p_budget_held bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  now_at CONSTANT timestamptz := clock_timestamp();
BEGIN
  UPDATE ledger.accounts a SET held_nano = u.held
  FROM unnest(p_accounts, p_account_held) AS u (account_id, held)
  WHERE a.account_id = u.account_id AND a.held_nano <> u.held;
  UPDATE ledger.budgets b SET held_nano = u.held,
    period_charged_nano = CASE WHEN b.period_start < ledger.period_start(b.period, now_at) THEN 0 ELSE b.period_charged_nano END,
    period_start = greatest(b.period_start, ledger.period_start(b.period, now_at))
  FROM unnest(p_budget_accounts, p_budgets, p_budget_held) AS u (account_id, budget_id, held)
  WHERE b.account_id = u.account_id AND b.budget_id = u.budget_id AND b.held_nano <> u.held;
END $$;

-- Sets money aside for a batch, each row decided exactly and in order: later ones see what earlier ones took.
-- p_accounts and p_budgets are ascending and distinct; the positions point from the rows into them (budget 0: none). p_budget_accounts says
-- whose each budget is: one of another account is as good as closed.
-- A row with a lease id gets that lease, new or grown by what is wanted, at most 5 % of the room, where this covers the most it asks for.
-- Else it gets a hold of its own: the full amount if four of it fit, else the slice if it fits, else the minimum, else nothing.
-- A row that grows raises the hold that it names by its minimum, also in a closed budget and a blocked account.
-- codes: 0 full, 1 slice, 2 minimum, 9 lease (amounts: set aside) · 3 insufficient balance, 4 limit exceeded (amounts: available; others: held)
--        5 budget closed, 6 account blocked, 7 unknown account · 8 there is no such hold to grow · 10 the journal is fenced.
-- p_retry: an earlier run of these rows may have been committed; what it granted is reported instead of granted twice.
CREATE FUNCTION ledger.grant_shard(
  p_journal uuid, p_accounts uuid[], p_budget_accounts uuid[], p_budgets uuid[],
  p_account_at integer[], p_budget_at integer[], p_budget2_at integer[], p_budget3_at integer[],
  p_hold_ids uuid[], p_lease_ids uuid[], p_lease_wants bigint[], p_tokens bigint[], p_full bigint[], p_slice bigint[], p_minimum bigint[], p_grows boolean[],
  p_price_versions integer[], p_references text[], p_details text[], p_retry boolean,
  OUT codes integer[], OUT amounts bigint[], OUT others bigint[]) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  now_at CONSTANT timestamptz := clock_timestamp();
  a_blocked boolean[]; a_room bigint[]; a_held bigint[];
  b_closed boolean[]; b_room bigint[]; b_held bigint[];
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
  SELECT l.closed, l.room, l.held INTO b_closed, b_room, b_held FROM ledger.lock_budgets(p_budget_accounts, p_budgets) l;
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
      owned := owned AND (p_budget_accounts[b] = p_accounts[a] AND b_closed[b] IS NOT NULL AND (p_grows[i] OR NOT b_closed[b]));
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
    PERFORM ledger.write_held(p_accounts, a_held, p_budget_accounts, p_budgets, b_held);
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

-- The same for accounts of any parts: rows keep their order within each, and no row of one part can change what one of another gets.
CREATE FUNCTION ledger.grant_many(
  p_journal uuid, p_accounts uuid[], p_budget_accounts uuid[], p_budgets uuid[],
  p_account_at integer[], p_budget_at integer[], p_budget2_at integer[], p_budget3_at integer[],
  p_hold_ids uuid[], p_lease_ids uuid[], p_lease_wants bigint[], p_tokens bigint[], p_full bigint[], p_slice bigint[], p_minimum bigint[], p_grows boolean[],
  p_price_versions integer[], p_references text[], p_details text[], p_retry boolean,
  OUT codes integer[], OUT amounts bigint[], OUT others bigint[]) LANGUAGE plpgsql AS $$
DECLARE
  shard integer; rows integer[]; accounts integer[]; budgets integer[]; part record;
BEGIN
  IF NOT ledger.spread() THEN
    SELECT g.codes, g.amounts, g.others INTO codes, amounts, others
    FROM ledger.grant_shard(p_journal, p_accounts, p_budget_accounts, p_budgets, p_account_at, p_budget_at, p_budget2_at, p_budget3_at, p_hold_ids,
      p_lease_ids, p_lease_wants, p_tokens, p_full, p_slice, p_minimum, p_grows, p_price_versions, p_references, p_details, p_retry) g;
    RETURN;
  END IF;
  FOR shard IN SELECT DISTINCT ledger.shard_of(u) FROM unnest(p_accounts) u ORDER BY 1 LOOP
    rows := ARRAY(SELECT i FROM generate_subscripts(p_account_at, 1) i WHERE ledger.shard_of(p_accounts[p_account_at[i]]) = shard);
    accounts := ARRAY(SELECT i FROM generate_subscripts(p_accounts, 1) i WHERE ledger.shard_of(p_accounts[i]) = shard);
    budgets := ARRAY(SELECT i FROM generate_subscripts(p_budgets, 1) i WHERE ledger.shard_of(p_budget_accounts[i]) = shard);
    SELECT g.* INTO part FROM (
      SELECT array_agg(array_position(accounts, p_account_at[i])) AS account_at,
        array_agg(coalesce(array_position(budgets, p_budget_at[i]), 0)) AS budget_at,
        array_agg(coalesce(array_position(budgets, p_budget2_at[i]), 0)) AS budget2_at,
        array_agg(coalesce(array_position(budgets, p_budget3_at[i]), 0)) AS budget3_at,
        array_agg(p_hold_ids[i]) AS hold_ids, array_agg(p_lease_ids[i]) AS lease_ids, array_agg(p_lease_wants[i]) AS lease_wants,
        array_agg(p_tokens[i]) AS tokens, array_agg(p_full[i]) AS fulls, array_agg(p_slice[i]) AS slices, array_agg(p_minimum[i]) AS minimums,
        array_agg(p_grows[i]) AS grows, array_agg(p_price_versions[i]) AS price_versions, array_agg(p_references[i]) AS refs,
        array_agg(p_details[i]) AS details
      FROM unnest(rows) i) r,
    LATERAL ledger.grant_shard(p_journal, ARRAY(SELECT p_accounts[i] FROM unnest(accounts) i), ARRAY(SELECT p_budget_accounts[i] FROM unnest(budgets) i),
      ARRAY(SELECT p_budgets[i] FROM unnest(budgets) i), r.account_at, r.budget_at, r.budget2_at, r.budget3_at, r.hold_ids, r.lease_ids, r.lease_wants,
      r.tokens, r.fulls, r.slices, r.minimums, r.grows, r.price_versions, r.refs, r.details, p_retry) g;
    FOR i IN 1 .. cardinality(rows) LOOP
      codes[rows[i]] := part.codes[i];
      amounts[rows[i]] := part.amounts[i];
      others[rows[i]] := part.others[i];
    END LOOP;
  END LOOP;
END $$;

-- The id of a request's loss: it follows from the request's, so a loss too is booked once, and lies in the same month.
CREATE FUNCTION ledger.loss_id(p_request uuid) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT (left(replace(p_request::text, '-', ''), 16) || '8' || left(md5(p_request::text || ' loss'), 15))::uuid
$$;

-- Books what pages of one journal up to p_last say of accounts of one part (null: of all): holds give what was charged and what is over,
-- accounts and budgets are charged, entries and hourly sums are written, the unfinished are kept up to date.
-- Returns the requests whose receipts could not be written and were parked.
CREATE FUNCTION ledger.post_shard(p_journal uuid, p_last bigint, p_shard integer) RETURNS uuid[] LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  -- No entry is booked with an older time, however late its page is posted.
  oldest CONSTANT timestamptz := clock_timestamp() - interval '4 seconds';
  moment timestamptz; newest_period timestamptz;
  ended bigint; booked bigint; lossy boolean; any_noted boolean; any_notes boolean; faulty boolean;
  h_accounts uuid[]; h_ids uuid[]; h_budgets uuid[]; h_budgets2 uuid[]; h_budgets3 uuid[];
  h_charges bigint[]; h_freed bigint[]; h_ends bigint[]; h_lost bigint[];
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

  -- In a statement of its own: the next one sees each hold, and its account's totals, as the grants that were waited for have left them.
  -- An UPDATE in this one would be checked against what its snapshot knows.
  PERFORM FROM (
    SELECT u.account_id, u.hold_id
    FROM ledger.pages g, unnest(g.account_ids, g.hold_ids) AS u (account_id, hold_id)
    WHERE g.journal_id = p_journal AND g.page_no <= p_last AND (p_shard IS NULL OR ledger.shard_of(u.account_id) = p_shard)
    UNION
    SELECT u.account_id, u.hold_id
    FROM ledger.pages g, unnest(g.given_accounts, g.given_holds) AS u (account_id, hold_id)
    WHERE g.journal_id = p_journal AND g.page_no <= p_last AND (p_shard IS NULL OR ledger.shard_of(u.account_id) = p_shard) AND g.given_holds IS NOT NULL) k
  JOIN ledger.holds h USING (account_id, hold_id) ORDER BY h.hold_id FOR NO KEY UPDATE OF h;

  WITH moves AS MATERIALIZED (
    SELECT m.account_id, m.hold_id, sum(m.charge)::bigint AS charge, sum(m.given)::bigint AS given, sum(m.ends) AS ends, sum(m.lost) AS lost,
      bool_or(m.over) AS over, bool_or(m.recalled) AS recalled
    FROM (
      SELECT u.account_id, u.hold_id, u.charge, 0::bigint AS given, 1 AS ends, CASE WHEN u.loss > 0 THEN 1 ELSE 0 END AS lost,
        u.hold_id = u.request_id AS over, false AS recalled
      FROM ledger.pages g, unnest(g.account_ids, g.hold_ids, g.request_ids, g.charges, g.losses) AS u (account_id, hold_id, request_id, charge, loss)
      WHERE g.journal_id = p_journal AND g.page_no <= p_last AND (p_shard IS NULL OR ledger.shard_of(u.account_id) = p_shard)
      UNION ALL
      SELECT u.account_id, u.hold_id, 0, coalesce(u.given, 0), 0, 0, u.given IS NULL, true
      FROM ledger.pages g, unnest(g.given_accounts, g.given_holds, g.given) AS u (account_id, hold_id, given)
      WHERE g.journal_id = p_journal AND g.page_no <= p_last AND (p_shard IS NULL OR ledger.shard_of(u.account_id) = p_shard) AND g.given_holds IS NOT NULL) m
    GROUP BY m.account_id, m.hold_id),
  locked AS MATERIALIZED (
    SELECT h.account_id, h.hold_id, h.budget_id, h.budget2_id, h.budget3_id, m.charge, m.over, m.recalled, m.ends, m.lost,
      CASE WHEN m.over THEN h.held_nano - m.charge ELSE m.given END AS freed
    FROM moves m JOIN ledger.holds h USING (account_id, hold_id)),
  lowered AS (
    UPDATE ledger.holds h SET held_nano = h.held_nano - l.charge - l.freed, recalled = h.recalled OR l.recalled
    FROM locked l WHERE NOT l.over AND h.account_id = l.account_id AND h.hold_id = l.hold_id),
  gone AS (DELETE FROM ledger.holds h USING locked l WHERE l.over AND h.account_id = l.account_id AND h.hold_id = l.hold_id)
  SELECT array_agg(l.account_id), array_agg(l.hold_id), array_agg(l.budget_id), array_agg(l.budget2_id), array_agg(l.budget3_id),
    array_agg(l.charge), array_agg(l.freed), array_agg(l.ends), array_agg(l.lost)
  INTO h_accounts, h_ids, h_budgets, h_budgets2, h_budgets3, h_charges, h_freed, h_ends, h_lost
  FROM locked l;

  IF h_ids IS NOT NULL THEN
    -- Under the account's lock its entries get their numbers, and a time that never goes back.
    WITH of_accounts AS (
      UPDATE ledger.accounts t SET held_nano = t.held_nano - s.charge - s.freed, charged_nano = t.charged_nano + s.charge,
        entries = t.entries + s.ends + s.lost, entered_at = CASE WHEN s.ends > 0 THEN greatest(t.entered_at, moment) ELSE t.entered_at END
      FROM (SELECT u.account_id, sum(u.charge)::bigint AS charge, sum(u.freed)::bigint AS freed, sum(u.ends)::bigint AS ends, sum(u.lost)::bigint AS lost
            FROM unnest(h_accounts, h_charges, h_freed, h_ends, h_lost) AS u (account_id, charge, freed, ends, lost)
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
      FROM (SELECT u.account_id, u.budget_id, sum(u.charge)::bigint AS charge, sum(u.freed)::bigint AS freed, min(u.at) AS at
            FROM unnest(h_accounts || h_accounts || h_accounts, h_budgets || h_budgets2 || h_budgets3, h_charges || h_charges || h_charges,
              h_freed || h_freed || h_freed, h_at || h_at || h_at) AS u (account_id, budget_id, charge, freed, at)
            WHERE u.budget_id IS NOT NULL GROUP BY u.account_id, u.budget_id ORDER BY u.budget_id) s
      WHERE t.account_id = s.account_id AND t.budget_id = s.budget_id
      RETURNING t.period_start)
    SELECT max(b.period_start) INTO newest_period FROM of_budgets b;
    IF newest_period > moment THEN
      -- No entry is older than the period that its charge was counted in, which a grant began meanwhile; nor younger: all go by one time.
      UPDATE ledger.accounts t SET entered_at = newest_period WHERE t.account_id = ANY (h_accounts) AND t.entered_at < newest_period;
      h_at := ARRAY(SELECT greatest(u.at, newest_period) FROM unnest(h_at) WITH ORDINALITY AS u (at, nth) ORDER BY u.nth);
      UPDATE ledger.budgets t SET period_charged_nano = s.charge, period_start = ledger.period_start(t.period, s.at)
      FROM (SELECT u.account_id, u.budget_id, sum(u.charge)::bigint AS charge, min(u.at) AS at
            FROM unnest(h_accounts || h_accounts || h_accounts, h_budgets || h_budgets2 || h_budgets3, h_charges || h_charges || h_charges,
              h_at || h_at || h_at) AS u (account_id, budget_id, charge, at)
            WHERE u.budget_id IS NOT NULL GROUP BY u.account_id, u.budget_id) s
      WHERE t.account_id = s.account_id AND t.budget_id = s.budget_id AND t.period_start < ledger.period_start(t.period, s.at);
    END IF;
  END IF;

  IF ended > 0 THEN
    WITH batch AS MATERIALIZED (
      SELECT u.*, h.budget_id, h.budget2_id, h.budget3_id, h.at, h.entries + row_number() OVER w AS entry_no,
        (h.balance - sum(u.charge) OVER w)::bigint AS balance,
        CASE WHEN u.reference LIKE 'task:%' THEN 'task' ELSE 'chat' END AS kind,
        u.cost IS NULL AND (u.charge > 0 OR u.endpoint IS NOT NULL AND u.upstream IS NOT NULL) AS unknown
      FROM ledger.pages g,
        unnest(g.account_ids, g.request_ids, g.hold_ids, g.held, g.charges, g.losses, g.price_versions, g."references", g.endpoints,
            g.models_requested, g.models, g.states, g.started_at, g.details, g.input_tokens, g.cached_tokens, g.output_tokens, g.upstreams, g.costs,
            g.durations, g.firsts) WITH ORDINALITY
          AS u (account_id, request_id, hold_id, held, charge, loss, version, reference, endpoint,
            model_requested, model, state, started_at, detail, input_tokens, cached_tokens, output_tokens, upstream, cost, duration, first, nth)
        JOIN unnest(h_accounts, h_ids, h_budgets, h_budgets2, h_budgets3, h_numbers, h_before, h_at)
          AS h (account_id, hold_id, budget_id, budget2_id, budget3_id, entries, balance, at) USING (account_id, hold_id)
      WHERE g.journal_id = p_journal AND g.page_no <= p_last AND (p_shard IS NULL OR ledger.shard_of(u.account_id) = p_shard)
      WINDOW w AS (PARTITION BY account_id ORDER BY g.page_no, u.nth ROWS UNBOUNDED PRECEDING)),
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
        coalesce(b.state, ''), coalesce(b.upstream, ''), count(*), sum(b.charge)::bigint,
        -- One absurd loss stops no sum: beyond a million roubles it is not believed.
        sum(least(coalesce(b.loss, 0), 1000000000000000))::bigint, sum(b.cost)::bigint,
        count(*) FILTER (WHERE b.unknown), coalesce(sum(b.charge) FILTER (WHERE b.unknown), 0)::bigint,
        coalesce(sum(b.input_tokens), 0)::bigint, coalesce(sum(b.cached_tokens), 0)::bigint, coalesce(sum(b.output_tokens), 0)::bigint,
        coalesce(sum(b.duration), 0), coalesce(sum(b.first), 0), count(b.first),
        min(b.request_id::text COLLATE "C")::uuid, max(b.request_id::text COLLATE "C")::uuid
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
END $$;

-- Books pages of one journal up to p_last, and removes them, all in one transaction. Only one poster of a journal runs at a time
-- (ledger.post_journal), and it reads no page beyond p_last, so that what is added up is what is removed.
-- Returns the requests whose receipts could not be written and were parked.
CREATE FUNCTION ledger.post_pages(p_journal uuid, p_last bigint) RETURNS uuid[] LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  shard integer;
  parked uuid[] := '{}';
BEGIN
  IF NOT ledger.spread() THEN
    parked := ledger.post_shard(p_journal, p_last, NULL);
  ELSE
    FOR shard IN
      SELECT DISTINCT ledger.shard_of(u.account_id) FROM ledger.pages g, unnest(g.account_ids || g.note_accounts || g.given_accounts) AS u (account_id)
      WHERE g.journal_id = p_journal AND g.page_no <= p_last ORDER BY 1
    LOOP
      parked := parked || ledger.post_shard(p_journal, p_last, shard);
    END LOOP;
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
-- p_model to p_cost are what the entry says of a task, as a receipt does; all may be null.
CREATE FUNCTION ledger.settle(
  p_account uuid, p_hold uuid, p_charge bigint, p_loss bigint, p_model text, p_state text, p_started_at timestamptz, p_upstream text, p_cost bigint,
  OUT settled bigint, OUT released bigint, OUT earlier bigint) LANGUAGE plpgsql AS $$
DECLARE
  half CONSTANT bigint := 4611686018427387903;
  hold ledger.holds;
  loss bigint;
BEGIN
  SELECT * INTO hold FROM ledger.holds h WHERE h.account_id = p_account AND h.hold_id = p_hold FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    SELECT e.amount_nano INTO earlier FROM ledger.entries e WHERE e.account_id = p_account AND e.entry_id = p_hold;
    RETURN;
  END IF;
  settled := least(p_charge, hold.held_nano);
  released := hold.held_nano - settled;
  loss := least(p_loss, half) + least(greatest(p_charge - hold.held_nano, 0), half); -- absurd usage must not stop the settlement by its size
  INSERT INTO ledger.pages (journal_id, page_no, request_ids, account_ids, hold_ids, held, charges, losses, price_versions, "references",
    models, states, started_at, upstreams, costs, durations)
  VALUES (p_hold, 1, ARRAY[p_hold], ARRAY[p_account], ARRAY[p_hold], ARRAY[hold.held_nano], ARRAY[settled],
    CASE WHEN loss > 0 THEN ARRAY[loss] END, ARRAY[hold.price_version], ARRAY[hold.reference],
    ARRAY[p_model], ARRAY[p_state], ARRAY[p_started_at], ARRAY[p_upstream], ARRAY[p_cost],
    ARRAY[CASE WHEN p_started_at IS NOT NULL THEN least(extract(epoch FROM clock_timestamp() - p_started_at) * 1000, 2147483647)::integer END]);
  PERFORM ledger.post_pages(p_hold, 1);
END $$;

-- Releases what a journal still holds of accounts of one part (null: of all).
CREATE FUNCTION ledger.release_shard(p_journal uuid, p_shard integer) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  accounts uuid[]; budgets uuid[]; amounts bigint[];
BEGIN
  WITH locked AS MATERIALIZED (
    SELECT h.account_id, h.hold_id, h.budget_id, h.budget2_id, h.budget3_id, h.held_nano
    FROM ledger.holds h WHERE h.journal_id = p_journal AND (p_shard IS NULL OR ledger.shard_of(h.account_id) = p_shard)
    ORDER BY h.hold_id FOR UPDATE),
  gone AS (DELETE FROM ledger.holds h USING locked l WHERE h.account_id = l.account_id AND h.hold_id = l.hold_id)
  SELECT array_agg(l.account_id), array_agg(l.held_nano), array_agg(l.budget_id) || array_agg(l.budget2_id) || array_agg(l.budget3_id)
  INTO accounts, amounts, budgets
  FROM locked l;
  IF accounts IS NULL THEN RETURN; END IF;
  UPDATE ledger.accounts t SET held_nano = t.held_nano - s.amount
  FROM (SELECT u.account_id, sum(u.amount)::bigint AS amount FROM unnest(accounts, amounts) AS u (account_id, amount) GROUP BY 1 ORDER BY 1) s
  WHERE t.account_id = s.account_id;
  UPDATE ledger.budgets t SET held_nano = t.held_nano - s.amount
  FROM (SELECT u.account_id, u.budget_id, sum(u.amount)::bigint AS amount
        FROM unnest(accounts || accounts || accounts, budgets, amounts || amounts || amounts) AS u (account_id, budget_id, amount)
        WHERE u.budget_id IS NOT NULL GROUP BY 1, 2 ORDER BY 2) s
  WHERE t.account_id = s.account_id AND t.budget_id = s.budget_id;
END $$;

-- Moves part of a task's hold to a new one in the same budgets, in the caller's transaction; each settles by itself. What is set aside in all
-- stays, so neither account nor budgets are touched: it was admitted before, whatever is closed or blocked now.
-- carved is null where nothing was moved: has is then what the hold has (null: there is none, or a process's journal ends it); known is true
-- where the new hold was made before, whether or not it has ended.
CREATE FUNCTION ledger.carve(
  p_account uuid, p_hold uuid, p_new uuid, p_amount bigint, p_price_version integer, p_reference text, p_detail text,
  OUT carved bigint, OUT has bigint, OUT known boolean) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM ledger.holds h WHERE h.account_id = p_account AND h.hold_id = p_hold FOR NO KEY UPDATE;
  -- Behind the lock, so that it sees what whoever had it has made.
  known := EXISTS (SELECT FROM ledger.holds h WHERE h.account_id = p_account AND h.hold_id = p_new
    UNION ALL SELECT FROM ledger.entries e WHERE e.account_id = p_account AND e.entry_id = p_new);
  IF known THEN RETURN; END IF;
  UPDATE ledger.holds h SET held_nano = h.held_nano - p_amount
  WHERE h.account_id = p_account AND h.hold_id = p_hold AND h.journal_id IS NULL AND h.held_nano >= p_amount
  RETURNING p_amount, h.held_nano INTO carved, has;
  IF carved IS NULL THEN
    SELECT h.held_nano INTO has FROM ledger.holds h WHERE h.account_id = p_account AND h.hold_id = p_hold AND h.journal_id IS NULL;
    RETURN;
  END IF;
  INSERT INTO ledger.holds (account_id, hold_id, budget_id, budget2_id, budget3_id, held_nano, token, granted_nano, price_version, reference, detail, created_at)
  SELECT h.account_id, p_new, h.budget_id, h.budget2_id, h.budget3_id, p_amount, 0, p_amount, p_price_version, p_reference, p_detail, clock_timestamp()
  FROM ledger.holds h WHERE h.account_id = p_account AND h.hold_id = p_hold;
END $$;

-- Releases whatever a journal still holds, and forgets it. Pages that nobody has posted yet are posted: what they charge is of these holds.
-- Does nothing while there are unfinished requests, for the same reason.
CREATE FUNCTION ledger.close_journal(p_journal uuid) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  shard integer;
BEGIN
  PERFORM pg_advisory_xact_lock(ledger.poster_place(p_journal));
  PERFORM FROM ledger.journals j WHERE j.journal_id = p_journal FOR UPDATE;
  PERFORM ledger.post_pages(p_journal, 9223372036854775807);
  IF EXISTS (SELECT FROM ledger.unfinished u WHERE u.journal_id = p_journal) THEN RETURN; END IF;
  IF NOT ledger.spread() THEN
    PERFORM ledger.release_shard(p_journal, NULL);
  ELSE
    FOR shard IN SELECT DISTINCT ledger.shard_of(h.account_id) FROM ledger.holds h WHERE h.journal_id = p_journal ORDER BY 1 LOOP
      PERFORM ledger.release_shard(p_journal, shard);
    END LOOP;
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
