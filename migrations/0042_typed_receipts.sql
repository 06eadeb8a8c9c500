-- Receipts come as columns instead of as JSON texts that have to be taken apart, and the detail is kept as the text that it is.
-- json and jsonb read the same; to take a receipt's detail apart for storage was the larger part of writing it.
ALTER TABLE usage.requests ALTER COLUMN detail TYPE json USING detail::json;

-- Writes receipts; a null id or a null charge means that this one shall not be written. A receipt that exists stays as it is.
-- p_faults (null for none) says of a receipt why it cannot be written, which its caller knew already; its detail is then all there is of it.
-- Returns the positions of those that could not be written and were parked instead: one bad receipt never fails the others, nor the
-- caller's transaction. The function of 0020 takes the same receipts as JSON texts, and is what processes of the version before this one call.
CREATE FUNCTION usage.record_many(
  p_requests uuid[], p_accounts uuid[], p_keys uuid[], p_endpoints text[], p_models_requested text[], p_models text[], p_states text[],
  p_started_at timestamptz[], p_details text[], p_faults text[], p_charges bigint[]) RETURNS integer[] LANGUAGE plpgsql AS $$
DECLARE
  parked integer[] := '{}';
BEGIN
  IF p_faults IS NULL THEN
    BEGIN
      INSERT INTO usage.requests (request_id, account_id, key_id, endpoint, model_requested, model, state, started_at, charged_nano, detail)
      SELECT u.request_id, u.account_id, u.key_id, u.endpoint, u.model_requested, u.model, u.state, u.started_at, u.charge, u.detail::json
      FROM unnest(p_requests, p_accounts, p_keys, p_endpoints, p_models_requested, p_models, p_states, p_started_at, p_details, p_charges)
        AS u (request_id, account_id, key_id, endpoint, model_requested, model, state, started_at, detail, charge)
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
    BEGIN
      INSERT INTO usage.requests (request_id, account_id, key_id, endpoint, model_requested, model, state, started_at, charged_nano, detail)
      VALUES (p_requests[i], p_accounts[i], p_keys[i], p_endpoints[i], p_models_requested[i], p_models[i], p_states[i], p_started_at[i], p_charges[i],
        p_details[i]::json)
      ON CONFLICT (request_id) DO NOTHING;
    EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded THEN
      INSERT INTO usage.parked (charged_nano, reason, receipt) VALUES (p_charges[i], SQLERRM, jsonb_build_object(
        'requestId', p_requests[i], 'accountId', p_accounts[i], 'keyId', p_keys[i], 'endpoint', p_endpoints[i],
        'modelRequested', p_models_requested[i], 'model', p_models[i], 'state', p_states[i], 'startedAt', p_started_at[i], 'detail', p_details[i])::text);
      parked := parked || i;
    END;
  END LOOP;
  RETURN parked;
END $$;
