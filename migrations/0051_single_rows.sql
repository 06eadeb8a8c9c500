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

-- Writes one receipt; true when it was parked instead.
CREATE FUNCTION usage.record_many(
  p_request uuid, p_account uuid, p_key uuid, p_endpoint text, p_model_requested text, p_model text, p_state text, p_started_at timestamptz,
  p_detail text, p_charge bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF p_charge IS NOT NULL THEN
    INSERT INTO usage.requests (request_id, account_id, key_id, endpoint, model_requested, model, state, started_at, charged_nano, detail)
    VALUES (p_request, p_account, p_key, p_endpoint, p_model_requested, p_model, p_state, p_started_at, p_charge, p_detail::json)
    ON CONFLICT (request_id) DO NOTHING;
  END IF;
  RETURN false;
EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded THEN
  INSERT INTO usage.parked (charged_nano, reason, receipt) VALUES (p_charge, SQLERRM, jsonb_build_object(
    'requestId', p_request, 'accountId', p_account, 'keyId', p_key, 'endpoint', p_endpoint, 'modelRequested', p_model_requested, 'model', p_model,
    'state', p_state, 'startedAt', p_started_at, 'detail', p_detail)::text);
  RETURN true;
END $$;
