-- The hold and the settlement of a batch, cheaper: the beginnings of the periods are found once a batch and not once a row; a settlement
-- takes its holds away without locking them first. What both do and answer is as in 0014.

-- As in 0014.
CREATE OR REPLACE FUNCTION ledger.hold_many(
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

-- Ends holds for a batch: takes the charge, at most what is held, and gives the rest back; what goes beyond the hold is the operator's loss.
-- A null charge means what the holder recorded. p_hold_ids are ascending. Aligned with them: settled and released are null where this call
-- ended nothing; earlier is then the charge of a hold that had ended before, and null where there is no such hold at all.
-- One statement after the other, each with a snapshot of its own: the first waits for extensions in progress, so the totals that the next
-- ones see count the holds as they were taken away. In one statement a raised hold would be subtracted from a total that is not raised yet,
-- and the row checks would refuse that before PostgreSQL notices that it has to look again.
CREATE OR REPLACE FUNCTION ledger.settle_many(
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
