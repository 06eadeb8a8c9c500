-- What is summed of receipts as columns of their own: to take each detail apart for the daily sums cost more than all the rest of counting it.

-- loss_nano is null where a process of the version before wrote the receipt; what it sums to is then in the detail alone.
ALTER TABLE usage.requests
  ADD COLUMN input_tokens bigint,                      -- all of the prompt
  ADD COLUMN cached_tokens bigint,                     -- of them, read from a cache
  ADD COLUMN output_tokens bigint,
  ADD COLUMN upstream text,                            -- that served it; null: none did
  ADD COLUMN cost_nano bigint,                         -- of that upstream; null: not known
  ADD COLUMN loss_nano bigint;

-- As in 0042, with the columns above. p_costs and p_losses may be null: no cost is known, nothing was lost.
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

-- As in 0051, with the columns above. p_loss may be null: nothing was lost.
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
