-- What the ledger and the receipts do at each request: functions alone, which a later migration may replace or drop as a whole.

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
-- The beginnings of the periods are found once a batch and not once a row.
CREATE FUNCTION ledger.hold_many(
  p_accounts uuid[], p_account_sums bigint[], p_account_rooms bigint[],
  p_budgets uuid[], p_budget_accounts uuid[], p_budget_sums bigint[], p_budget_rooms bigint[],
  p_hold_ids uuid[], p_account_at integer[], p_budget_at integer[], p_owners uuid[], p_full bigint[], p_slice bigint[], p_minimum bigint[],
  p_price_versions integer[], p_references text[], p_details text[], p_retry boolean,
  OUT codes integer[], OUT amounts bigint[], OUT others bigint[]) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  now_at CONSTANT timestamptz := clock_timestamp();
  day_start CONSTANT timestamptz := ledger.period_start('day', now_at);
  month_start CONSTANT timestamptz := ledger.period_start('month', now_at);
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
          period_charged_nano = CASE WHEN t.period_start < CASE t.period WHEN 'month' THEN month_start WHEN 'day' THEN day_start ELSE '-infinity' END THEN 0 ELSE t.period_charged_nano END,
          period_start = greatest(t.period_start, CASE t.period WHEN 'month' THEN month_start WHEN 'day' THEN day_start ELSE '-infinity' END)
        FROM unnest(p_budgets, p_budget_accounts, p_budget_sums, p_budget_rooms) AS u (budget_id, account_id, amount, room)
        WHERE t.budget_id = u.budget_id AND t.account_id = u.account_id AND NOT t.closed
          AND (t.limit_nano IS NULL OR t.limit_nano - t.held_nano
               - CASE WHEN t.period_start < CASE t.period WHEN 'month' THEN month_start WHEN 'day' THEN day_start ELSE '-infinity' END THEN 0 ELSE t.period_charged_nano END >= u.room);
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
-- A null charge means what the holder recorded. p_hold_ids are ascending. Aligned with them: settled and released are null where this call
-- ended nothing; earlier is then the charge of a hold that had ended before, and null where there is no such hold at all.
-- One statement after the other, each with a snapshot of its own: the first waits for extensions in progress, so the totals that the next
-- ones see count the holds as they were taken away. In one statement a raised hold would be subtracted from a total that is not raised yet,
-- and the row checks would refuse that before PostgreSQL notices that it has to look again.
CREATE FUNCTION ledger.settle_many(
  p_hold_ids uuid[], p_charges bigint[], p_losses bigint[],
  OUT settled bigint[], OUT released bigint[], OUT earlier bigint[]) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  half CONSTANT bigint := 4611686018427387903;
  now_at CONSTANT timestamptz := clock_timestamp();
  day_start CONSTANT timestamptz := ledger.period_start('day', now_at);
  month_start CONSTANT timestamptz := ledger.period_start('month', now_at);
  ats bigint[]; ids uuid[]; accounts uuid[]; budgets uuid[]; versions integer[]; refs text[];
  charges bigint[]; frees bigint[]; losses bigint[]; lossy boolean;
  period_begun timestamptz; booked_at timestamptz;
BEGIN
  WITH closing AS (
    DELETE FROM ledger.holds h
    USING unnest(p_hold_ids, p_charges, p_losses) WITH ORDINALITY AS w (hold_id, charge, loss, at)
    WHERE h.hold_id = w.hold_id
    RETURNING w.at, h.hold_id, h.account_id, h.budget_id, h.price_version, h.reference, h.held_nano,
      least(coalesce(w.charge, h.recorded_nano), h.held_nano) AS charge,
      least(w.loss, half) + least(greatest(w.charge - h.held_nano, 0), half) AS loss) -- absurd usage must not stop the settlement by its size
  SELECT array_agg(c.at), array_agg(c.hold_id), array_agg(c.account_id), array_agg(c.budget_id), array_agg(c.price_version), array_agg(c.reference),
    array_agg(c.charge), array_agg(c.held_nano - c.charge), array_agg(c.loss), bool_or(c.loss > 0)
  INTO ats, ids, accounts, budgets, versions, refs, charges, frees, losses, lossy
  FROM closing c;

  IF ids IS NOT NULL THEN
    UPDATE ledger.accounts t SET held_nano = t.held_nano - s.held, charged_nano = t.charged_nano + s.charge
    FROM (SELECT u.account_id, sum(u.charge + u.free)::bigint AS held, sum(u.charge)::bigint AS charge
          FROM unnest(accounts, charges, frees) AS u (account_id, charge, free) GROUP BY u.account_id ORDER BY u.account_id) s
    WHERE t.account_id = s.account_id;
    WITH of_budgets AS (
      UPDATE ledger.budgets t SET held_nano = t.held_nano - s.held, charged_nano = t.charged_nano + s.charge,
        period_charged_nano = s.charge + CASE WHEN t.period_start < CASE t.period WHEN 'month' THEN month_start WHEN 'day' THEN day_start ELSE '-infinity' END THEN 0 ELSE t.period_charged_nano END,
        period_start = greatest(t.period_start, CASE t.period WHEN 'month' THEN month_start WHEN 'day' THEN day_start ELSE '-infinity' END)
      FROM (SELECT u.budget_id, sum(u.charge + u.free)::bigint AS held, sum(u.charge)::bigint AS charge
            FROM unnest(budgets, charges, frees) AS u (budget_id, charge, free)
            WHERE u.budget_id IS NOT NULL GROUP BY u.budget_id ORDER BY u.budget_id) s
      WHERE t.budget_id = s.budget_id
      RETURNING t.period_start)
    SELECT max(b.period_start) INTO period_begun FROM of_budgets b;
    -- No entry is older than the period that its charge was counted in: another process may have begun that one while we waited.
    booked_at := greatest(now_at, period_begun);
    -- After both, so that an account's entries are numbered under its lock.
    INSERT INTO ledger.entries (entry_id, kind, account_id, budget_id, debit_id, credit_id, amount_nano, held_nano, released_nano, price_version, at, reference)
    SELECT c.hold_id, CASE WHEN c.charge > 0 THEN 'charge'::ledger.entry_kind ELSE 'release' END, c.account_id, c.budget_id,
      c.account_id, '00000000-0000-0000-0000-000000000002', c.charge, c.charge + c.free, c.free, c.price_version, booked_at, c.reference
    FROM unnest(ids, accounts, budgets, charges, frees, versions, refs) AS c (hold_id, account_id, budget_id, charge, free, price_version, reference);
    IF lossy THEN
      -- The id follows from the hold's, so a loss too is booked once.
      INSERT INTO ledger.entries (entry_id, kind, account_id, budget_id, debit_id, credit_id, amount_nano, price_version, at, reference)
      SELECT md5(c.hold_id::text || ' loss')::uuid, 'loss', c.account_id, c.budget_id,
        '00000000-0000-0000-0000-000000000003', '00000000-0000-0000-0000-000000000002', c.loss, c.price_version, booked_at, c.reference
      FROM unnest(ids, accounts, budgets, losses, versions, refs) AS c (hold_id, account_id, budget_id, loss, price_version, reference)
      WHERE c.loss > 0;
    END IF;
  END IF;

  IF ids = p_hold_ids THEN
    settled := charges;
    released := frees;
  ELSE
    SELECT array_agg(s.charge), array_agg(s.free), array_agg(s.amount_nano) INTO settled, released, earlier
    FROM (SELECT c.charge, c.free, e.amount_nano FROM unnest(p_hold_ids) WITH ORDINALITY AS u (hold_id, at)
          LEFT JOIN unnest(ats, charges, frees) AS c (at, charge, free) USING (at)
          LEFT JOIN ledger.entries e ON e.entry_id = u.hold_id ORDER BY u.at) s;
  END IF;
END $$;

-- A request that comes alone, as nearly every one does at low load: decided and written as by the functions of the same names for a batch, but with
-- no arrays to take apart and each statement straight at its row. The beginnings of the periods are those of ledger.period_start.

-- Holds money for one request that was never run before. p_room is what must be free for the request to get the most that it asks for; null when
-- no room is enough. Where all of it is free, codes are null; elsewhere what was taken is given back, and the function for a batch decides.
CREATE FUNCTION ledger.hold_many(
  p_hold_id uuid, p_account uuid, p_budget uuid, p_owner uuid, p_full bigint, p_slice bigint, p_minimum bigint, p_room bigint,
  p_price_version integer, p_reference text, p_detail text,
  OUT codes integer[], OUT amounts bigint[], OUT others bigint[]) LANGUAGE plpgsql AS $$
DECLARE
  now_at CONSTANT timestamptz := clock_timestamp();
  amount CONSTANT bigint := coalesce(p_full, p_slice);
  day_start timestamptz;
  month_start timestamptz;
BEGIN
  UPDATE ledger.accounts t SET held_nano = t.held_nano + amount
  WHERE t.account_id = p_account AND NOT t.blocked AND t.credited_nano - t.charged_nano - t.held_nano >= p_room;
  IF FOUND THEN
    IF p_budget IS NOT NULL THEN
      day_start := date_trunc('day', now_at, 'Europe/Moscow');
      month_start := date_trunc('month', now_at, 'Europe/Moscow');
      UPDATE ledger.budgets t SET held_nano = t.held_nano + amount,
        period_charged_nano = CASE WHEN t.period_start < CASE t.period WHEN 'month' THEN month_start WHEN 'day' THEN day_start ELSE '-infinity' END THEN 0 ELSE t.period_charged_nano END,
        period_start = greatest(t.period_start, CASE t.period WHEN 'month' THEN month_start WHEN 'day' THEN day_start ELSE '-infinity' END)
      WHERE t.budget_id = p_budget AND t.account_id = p_account AND NOT t.closed
        AND (t.limit_nano IS NULL OR t.limit_nano - t.held_nano
             - CASE WHEN t.period_start < CASE t.period WHEN 'month' THEN month_start WHEN 'day' THEN day_start ELSE '-infinity' END THEN 0 ELSE t.period_charged_nano END >= p_room);
    END IF;
    IF FOUND THEN
      INSERT INTO ledger.holds (hold_id, account_id, budget_id, owner_id, price_version, held_nano, created_at, reference, detail)
      VALUES (p_hold_id, p_account, p_budget, p_owner, p_price_version, amount, now_at, p_reference, p_detail);
      RETURN;
    END IF;
    UPDATE ledger.accounts t SET held_nano = t.held_nano - amount WHERE t.account_id = p_account;
  END IF;
  SELECT m.codes, m.amounts, m.others INTO codes, amounts, others FROM ledger.hold_many(
    ARRAY[p_account], ARRAY[amount], ARRAY[p_room],
    CASE WHEN p_budget IS NULL THEN '{}' ELSE ARRAY[p_budget] END, CASE WHEN p_budget IS NULL THEN '{}' ELSE ARRAY[p_account] END,
    CASE WHEN p_budget IS NULL THEN '{}' ELSE ARRAY[amount] END, CASE WHEN p_budget IS NULL THEN '{}' ELSE ARRAY[p_room] END,
    ARRAY[p_hold_id], ARRAY[1], ARRAY[CASE WHEN p_budget IS NULL THEN 0 ELSE 1 END], ARRAY[p_owner], ARRAY[p_full], ARRAY[p_slice], ARRAY[p_minimum],
    ARRAY[p_price_version], ARRAY[p_reference], ARRAY[p_detail], false) m;
END $$;

-- Ends one hold; the same figures as for a batch, not in arrays.
CREATE FUNCTION ledger.settle_many(p_hold_id uuid, p_charge bigint, p_loss bigint, OUT settled bigint, OUT released bigint, OUT earlier bigint) LANGUAGE plpgsql AS $$
DECLARE
  half CONSTANT bigint := 4611686018427387903;
  now_at CONSTANT timestamptz := clock_timestamp();
  account uuid; budget uuid; held bigint; version integer; ref text;
  day_start timestamptz; month_start timestamptz; period_begun timestamptz;
  loss bigint;
BEGIN
  DELETE FROM ledger.holds h WHERE h.hold_id = p_hold_id
  RETURNING h.account_id, h.budget_id, h.held_nano, h.price_version, h.reference, least(coalesce(p_charge, h.recorded_nano), h.held_nano)
  INTO account, budget, held, version, ref, settled;
  IF account IS NULL THEN
    SELECT e.amount_nano INTO earlier FROM ledger.entries e WHERE e.entry_id = p_hold_id;
    RETURN;
  END IF;
  released := held - settled;
  UPDATE ledger.accounts t SET held_nano = t.held_nano - held, charged_nano = t.charged_nano + settled WHERE t.account_id = account;
  IF budget IS NOT NULL THEN
    day_start := date_trunc('day', now_at, 'Europe/Moscow');
    month_start := date_trunc('month', now_at, 'Europe/Moscow');
    UPDATE ledger.budgets t SET held_nano = t.held_nano - held, charged_nano = t.charged_nano + settled,
      period_charged_nano = settled + CASE WHEN t.period_start < CASE t.period WHEN 'month' THEN month_start WHEN 'day' THEN day_start ELSE '-infinity' END THEN 0 ELSE t.period_charged_nano END,
      period_start = greatest(t.period_start, CASE t.period WHEN 'month' THEN month_start WHEN 'day' THEN day_start ELSE '-infinity' END)
    WHERE t.budget_id = budget RETURNING t.period_start INTO period_begun;
  END IF;
  INSERT INTO ledger.entries (entry_id, kind, account_id, budget_id, debit_id, credit_id, amount_nano, held_nano, released_nano, price_version, at, reference)
  VALUES (p_hold_id, CASE WHEN settled > 0 THEN 'charge'::ledger.entry_kind ELSE 'release' END, account, budget,
    account, '00000000-0000-0000-0000-000000000002', settled, held, released, version, greatest(now_at, period_begun), ref);
  loss := least(p_loss, half) + least(greatest(p_charge - held, 0), half);
  IF loss > 0 THEN
    INSERT INTO ledger.entries (entry_id, kind, account_id, budget_id, debit_id, credit_id, amount_nano, price_version, at, reference)
    VALUES (md5(p_hold_id::text || ' loss')::uuid, 'loss', account, budget,
      '00000000-0000-0000-0000-000000000003', '00000000-0000-0000-0000-000000000002', loss, version, greatest(now_at, period_begun), ref);
  END IF;
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
