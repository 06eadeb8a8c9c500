-- The hot money statements: each takes a batch as arrays, decides every row exactly in arrival order, and says what became of each.
-- Lock order everywhere: holds, accounts, budgets, each by ascending id, so that no two batches of any processes wait for each other.
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

-- Holds money for a batch: of each row the full amount if four of it fit, else the slice if it fits, else the minimum, else nothing.
-- p_accounts and p_budgets are ascending and distinct; p_account_at and p_budget_at point from the rows into them (budget 0: none).
-- The caller has added up what its rows want at most (sums), and the room at which every row would get that (rooms): where all
-- the room is there, which is nearly always, nothing needs to be decided row by row, and codes are null.
-- codes: 0 full, 1 slice, 2 minimum (amounts: held) · 3 insufficient balance, 4 limit exceeded (amounts: available; others: held by others)
--        5 budget closed, 6 account blocked, 7 unknown account · 8 (p_retry only) the hold has ended already.
-- p_retry: an earlier run of these rows may have been committed; holds that exist are reported instead of made twice.
CREATE FUNCTION ledger.hold_many(
  p_accounts uuid[], p_account_sums bigint[], p_account_rooms bigint[],
  p_budgets uuid[], p_budget_accounts uuid[], p_budget_sums bigint[], p_budget_rooms bigint[],
  p_hold_ids uuid[], p_account_at integer[], p_budget_at integer[], p_owners uuid[], p_full bigint[], p_slice bigint[], p_minimum bigint[],
  p_price_versions integer[], p_references text[], p_details text[], p_retry boolean,
  OUT codes integer[], OUT amounts bigint[], OUT others bigint[]) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  now_at CONSTANT timestamptz := clock_timestamp();
  changed integer;
  a_blocked boolean[]; a_room bigint[]; a_held bigint[];
  b_accounts uuid[]; b_closed boolean[]; b_room bigint[]; b_held bigint[];
  made bigint[]; ended boolean[]; fresh boolean[];
  a integer; b integer; room bigint; amount bigint; other bigint; code integer;
BEGIN
  IF NOT p_retry THEN
    BEGIN
      UPDATE ledger.accounts t SET held_nano = t.held_nano + u.amount
      FROM unnest(p_accounts, p_account_sums, p_account_rooms) AS u (account_id, amount, room)
      WHERE t.account_id = u.account_id AND NOT t.blocked AND t.credited_nano - t.charged_nano - t.held_nano >= u.room;
      GET DIAGNOSTICS changed = ROW_COUNT;
      IF changed < cardinality(p_accounts) THEN RAISE SQLSTATE 'TG001'; END IF;
      IF cardinality(p_budgets) > 0 THEN
        UPDATE ledger.budgets t SET held_nano = t.held_nano + u.amount,
          period_charged_nano = CASE WHEN t.period_start < ledger.period_start(t.period, now_at) THEN 0 ELSE t.period_charged_nano END,
          period_start = greatest(t.period_start, ledger.period_start(t.period, now_at))
        FROM unnest(p_budgets, p_budget_accounts, p_budget_sums, p_budget_rooms) AS u (budget_id, account_id, amount, room)
        WHERE t.budget_id = u.budget_id AND t.account_id = u.account_id AND NOT t.closed
          AND (t.limit_nano IS NULL OR t.limit_nano - t.held_nano
               - CASE WHEN t.period_start < ledger.period_start(t.period, now_at) THEN 0 ELSE t.period_charged_nano END >= u.room);
        GET DIAGNOSTICS changed = ROW_COUNT;
        IF changed < cardinality(p_budgets) THEN RAISE SQLSTATE 'TG001'; END IF;
      END IF;
      INSERT INTO ledger.holds (hold_id, account_id, budget_id, owner_id, price_version, held_nano, created_at, reference, detail)
      SELECT u.hold_id, p_accounts[u.a], p_budgets[u.b], u.owner_id, u.price_version, coalesce(u.full_nano, u.slice), now_at, u.reference, u.detail
      FROM unnest(p_hold_ids, p_account_at, p_budget_at, p_owners, p_price_versions, p_references, p_details, p_full, p_slice)
        AS u (hold_id, a, b, owner_id, price_version, reference, detail, full_nano, slice);
      RETURN;
    EXCEPTION WHEN SQLSTATE 'TG001' THEN
      NULL; -- undone and unlocked; now row by row
    END;
  END IF;

  SELECT l.blocked, l.room, l.held INTO a_blocked, a_room, a_held FROM ledger.lock_accounts(p_accounts) l;
  SELECT l.accounts, l.closed, l.room, l.held INTO b_accounts, b_closed, b_room, b_held FROM ledger.lock_budgets(p_budgets) l;
  IF p_retry THEN
    SELECT array_agg(s.held_nano), array_agg(s.ended) INTO made, ended
    FROM (SELECT h.held_nano, e.entry_id IS NOT NULL AS ended FROM unnest(p_hold_ids) WITH ORDINALITY AS u (hold_id, at)
          LEFT JOIN ledger.holds h USING (hold_id) LEFT JOIN ledger.entries e ON e.entry_id = u.hold_id ORDER BY u.at) s;
  END IF;
  FOR i IN 1 .. cardinality(p_hold_ids) LOOP
    a := p_account_at[i];
    b := p_budget_at[i];
    amount := NULL;
    other := NULL;
    fresh[i] := NOT p_retry OR NOT (ended[i] OR made[i] IS NOT NULL);
    IF ended[i] THEN code := 8;
    ELSIF made[i] IS NOT NULL THEN
      amount := made[i];
      code := CASE amount WHEN p_full[i] THEN 0 WHEN p_slice[i] THEN 1 ELSE 2 END;
    ELSIF a_room[a] IS NULL THEN code := 7;
    ELSIF a_blocked[a] THEN code := 6;
    ELSIF b > 0 AND (b_accounts[b] = p_accounts[a] AND NOT b_closed[b]) IS NOT TRUE THEN code := 5;
    ELSE
      room := least(a_room[a], b_room[b]);
      IF p_full[i] <= room / 4 THEN code := 0; amount := p_full[i];
      ELSIF p_slice[i] <= room THEN code := 1; amount := p_slice[i];
      ELSIF p_minimum[i] <= room THEN code := 2; amount := p_minimum[i];
      ELSIF p_minimum[i] > a_room[a] THEN code := 3; amount := a_room[a]; other := a_held[a];
      ELSE code := 4; amount := b_room[b]; other := b_held[b];
      END IF;
      IF code <= 2 THEN
        a_room[a] := a_room[a] - amount;
        a_held[a] := a_held[a] + amount;
        IF b > 0 THEN
          b_room[b] := b_room[b] - amount;
          b_held[b] := b_held[b] + amount;
        END IF;
      END IF;
    END IF;
    codes[i] := code;
    amounts[i] := amount;
    others[i] := other;
  END LOOP;
  PERFORM ledger.write_held(p_accounts, a_held, p_budgets, b_held);
  INSERT INTO ledger.holds (hold_id, account_id, budget_id, owner_id, price_version, held_nano, created_at, reference, detail)
  SELECT u.hold_id, p_accounts[u.a], p_budgets[u.b], u.owner_id, u.price_version, u.amount, now_at, u.reference, u.detail
  FROM unnest(p_hold_ids, p_account_at, p_budget_at, p_owners, p_price_versions, p_references, p_details, codes, amounts, fresh)
    AS u (hold_id, a, b, owner_id, price_version, reference, detail, code, amount, fresh)
  WHERE u.code <= 2 AND u.fresh;
END $$;

-- Raises holds for a batch, and records what each has delivered so far, also where the raise is refused. A raise is whole or refused.
-- Neither a closed budget nor a blocked account stops it: what was admitted may finish.
-- p_tokens name the raises: in a retry, one that was granted already is reported, not granted twice.
-- held: the hold's amount now, null when the hold has ended.
CREATE FUNCTION ledger.extend_many(
  p_hold_ids uuid[], p_adds bigint[], p_recorded bigint[], p_details text[], p_tokens bigint[], p_retry boolean,
  OUT granted boolean[], OUT held bigint[]) LANGUAGE plpgsql AS $$
DECLARE
  holds uuid[];
  accounts uuid[]; a_room bigint[]; a_held bigint[];
  budgets uuid[]; b_room bigint[]; b_held bigint[];
  hold record; a integer; b integer; amount bigint; grant_it boolean;
BEGIN
  SELECT array_agg(s.hold_id), array_agg(DISTINCT s.account_id), array_agg(DISTINCT s.budget_id) FILTER (WHERE s.budget_id IS NOT NULL)
    INTO holds, accounts, budgets
  FROM (SELECT h.hold_id, h.account_id, h.budget_id FROM ledger.holds h WHERE h.hold_id = ANY (p_hold_ids) ORDER BY h.hold_id FOR NO KEY UPDATE) s;
  SELECT l.room, l.held INTO a_room, a_held FROM ledger.lock_accounts(accounts) l;
  SELECT l.room, l.held INTO b_room, b_held FROM ledger.lock_budgets(budgets) l;
  FOR i IN 1 .. cardinality(p_hold_ids) LOOP
    IF (p_hold_ids[i] = ANY (holds)) IS NOT TRUE THEN
      granted[i] := false;
      held[i] := NULL;
      CONTINUE;
    END IF;
    SELECT h.account_id, h.budget_id, h.held_nano, h.last_extension INTO hold FROM ledger.holds h WHERE h.hold_id = p_hold_ids[i];
    a := array_position(accounts, hold.account_id);
    b := array_position(budgets, hold.budget_id);
    amount := 0;
    IF p_retry AND hold.last_extension = p_tokens[i] THEN grant_it := true;
    ELSE
      grant_it := p_adds[i] <= least(a_room[a], b_room[b]);
      IF grant_it THEN amount := p_adds[i]; END IF;
    END IF;
    a_room[a] := a_room[a] - amount;
    a_held[a] := a_held[a] + amount;
    IF b IS NOT NULL THEN
      b_room[b] := b_room[b] - amount;
      b_held[b] := b_held[b] + amount;
    END IF;
    UPDATE ledger.holds h SET held_nano = h.held_nano + amount, recorded_nano = least(p_recorded[i], h.held_nano + amount), detail = p_details[i],
      last_extension = CASE WHEN grant_it THEN p_tokens[i] ELSE h.last_extension END
    WHERE h.hold_id = p_hold_ids[i];
    granted[i] := grant_it;
    held[i] := hold.held_nano + amount;
  END LOOP;
  PERFORM ledger.write_held(accounts, a_held, budgets, b_held);
END $$;

-- Ends holds for a batch: takes the charge, at most what is held, and gives the rest back; what goes beyond the hold is the operator's loss.
-- A null charge means what the holder recorded. Aligned with p_hold_ids: settled and released are null where this call ended nothing;
-- earlier is then the charge of a hold that had ended before, and null where there is no such hold at all.
CREATE FUNCTION ledger.settle_many(
  p_hold_ids uuid[], p_charges bigint[], p_losses bigint[],
  OUT settled bigint[], OUT released bigint[], OUT earlier bigint[]) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  half CONSTANT bigint := 4611686018427387903;
  now_at CONSTANT timestamptz := clock_timestamp();
BEGIN
  -- Waits for extensions in progress. The next statement then sees these holds and the totals that count them in the same state: without
  -- this, a raised hold would be subtracted from a total that is not raised yet, and the row checks would refuse that before PostgreSQL
  -- notices that it has to look again.
  PERFORM FROM ledger.holds WHERE hold_id = ANY (p_hold_ids) ORDER BY hold_id FOR UPDATE;
  WITH wanted AS MATERIALIZED (
    SELECT u.hold_id, u.charge, u.loss, u.at FROM unnest(p_hold_ids, p_charges, p_losses) WITH ORDINALITY AS u (hold_id, charge, loss, at) ORDER BY u.hold_id
  ), closing AS (
    DELETE FROM ledger.holds h USING wanted w WHERE h.hold_id = w.hold_id
    RETURNING w.at, h.hold_id, h.account_id, h.budget_id, h.price_version, h.reference, h.held_nano,
      least(coalesce(w.charge, h.recorded_nano), h.held_nano) AS charge,
      least(w.loss, half) + least(greatest(w.charge - h.held_nano, 0), half) AS loss -- absurd usage must not stop the settlement by its size
  ), of_accounts AS (
    UPDATE ledger.accounts t SET held_nano = t.held_nano - s.held, charged_nano = t.charged_nano + s.charge
    FROM (SELECT account_id, sum(held_nano)::bigint AS held, sum(charge)::bigint AS charge FROM closing GROUP BY account_id ORDER BY account_id) s
    WHERE t.account_id = s.account_id
    RETURNING true
  ), of_budgets AS (
    UPDATE ledger.budgets t SET held_nano = t.held_nano - s.held, charged_nano = t.charged_nano + s.charge,
      period_charged_nano = s.charge + CASE WHEN t.period_start < ledger.period_start(t.period, now_at) THEN 0 ELSE t.period_charged_nano END,
      period_start = greatest(t.period_start, ledger.period_start(t.period, now_at))
    FROM (SELECT budget_id, sum(held_nano)::bigint AS held, sum(charge)::bigint AS charge FROM closing
          WHERE budget_id IS NOT NULL AND (SELECT count(*) FROM of_accounts) > 0 -- accounts before budgets
          GROUP BY budget_id ORDER BY budget_id) s
    WHERE t.budget_id = s.budget_id
    RETURNING t.period_start
  ), moment AS MATERIALIZED (
    -- After both, so that an account's entries are numbered under its lock, and no entry is older than the period that its charge was
    -- counted in: another process may have begun that one while we waited.
    SELECT greatest(now_at, (SELECT max(period_start) FROM of_budgets)) AS at WHERE (SELECT count(*) FROM of_accounts) >= 0
  ), booked AS (
    INSERT INTO ledger.entries (entry_id, kind, account_id, budget_id, debit_id, credit_id, amount_nano, held_nano, released_nano, price_version, at, reference)
    SELECT c.hold_id, CASE WHEN c.charge > 0 THEN 'charge' ELSE 'release' END::ledger.entry_kind, c.account_id, c.budget_id,
      c.account_id, '00000000-0000-0000-0000-000000000002', c.charge, c.held_nano, c.held_nano - c.charge, c.price_version, m.at, c.reference
    FROM closing c CROSS JOIN moment m ORDER BY c.at
  ), lost AS (
    -- The id follows from the hold's, so a loss too is booked once.
    INSERT INTO ledger.entries (entry_id, kind, account_id, budget_id, debit_id, credit_id, amount_nano, price_version, at, reference)
    SELECT md5(c.hold_id::text || ' loss')::uuid, 'loss', c.account_id, c.budget_id,
      '00000000-0000-0000-0000-000000000003', '00000000-0000-0000-0000-000000000002', c.loss, c.price_version, m.at, c.reference
    FROM closing c CROSS JOIN moment m WHERE c.loss > 0
  )
  SELECT array_agg(s.charge), array_agg(s.held_nano - s.charge) INTO settled, released
  FROM (SELECT c.charge, c.held_nano FROM wanted w LEFT JOIN closing c USING (at) ORDER BY w.at) s;
  IF array_position(settled, NULL) IS NOT NULL THEN
    SELECT array_agg(s.amount_nano) INTO earlier
    FROM (SELECT e.amount_nano FROM unnest(p_hold_ids) WITH ORDINALITY AS u (hold_id, at)
          LEFT JOIN ledger.entries e ON e.entry_id = u.hold_id ORDER BY u.at) s;
  END IF;
END $$;
