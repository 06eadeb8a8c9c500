-- Receipts: one row per request that held money, written in the transaction that ends the hold.

CREATE TABLE usage.requests (
  request_id uuid PRIMARY KEY,                                         -- time-ordered (UUIDv7): a list by id is a list by time
  account_id uuid NOT NULL,
  key_id uuid,
  endpoint text NOT NULL,
  model_requested text NOT NULL,
  model text NOT NULL,                                                 -- whose price counts
  state text NOT NULL,
  started_at timestamptz NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  charged_nano bigint NOT NULL CHECK (charged_nano >= 0),
  detail jsonb NOT NULL
);
CREATE INDEX requests_by_account ON usage.requests (account_id, request_id);

-- Receipts that could not be written as they came. The money was settled all the same; somebody has to look.
CREATE TABLE usage.parked (
  parked_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  parked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  charged_nano bigint,
  reason text NOT NULL,
  receipt text NOT NULL
);

-- Writes receipts, each a JSON text; a null charge means that this one shall not be written. A receipt that exists stays as it is.
-- Returns the positions of those that could not be written and were parked instead: one bad receipt never fails the others, nor the caller's transaction.
CREATE FUNCTION usage.record_many(p_receipts text[], p_charges bigint[]) RETURNS integer[] LANGUAGE plpgsql AS $$
DECLARE
  parked integer[] := '{}';
BEGIN
  BEGIN
    INSERT INTO usage.requests (request_id, account_id, key_id, endpoint, model_requested, model, state, started_at, charged_nano, detail)
    SELECT r."requestId", r."accountId", r."keyId", r.endpoint, r."modelRequested", r.model, r.state, r."startedAt", u.charge, r.detail
    FROM unnest(p_receipts, p_charges) AS u (receipt, charge), jsonb_to_record(u.receipt::jsonb) AS r (
      "requestId" uuid, "accountId" uuid, "keyId" uuid, endpoint text, "modelRequested" text, model text, state text, "startedAt" timestamptz, detail jsonb)
    WHERE u.receipt IS NOT NULL AND u.charge IS NOT NULL
    ON CONFLICT (request_id) DO NOTHING;
    RETURN parked;
  EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded THEN
    NULL; -- one of them is bad: one by one, then
  END;
  FOR i IN 1 .. cardinality(p_receipts) LOOP
    CONTINUE WHEN p_receipts[i] IS NULL OR p_charges[i] IS NULL;
    BEGIN
      INSERT INTO usage.requests (request_id, account_id, key_id, endpoint, model_requested, model, state, started_at, charged_nano, detail)
      SELECT r."requestId", r."accountId", r."keyId", r.endpoint, r."modelRequested", r.model, r.state, r."startedAt", p_charges[i], r.detail
      FROM jsonb_to_record(p_receipts[i]::jsonb) AS r (
        "requestId" uuid, "accountId" uuid, "keyId" uuid, endpoint text, "modelRequested" text, model text, state text, "startedAt" timestamptz, detail jsonb)
      ON CONFLICT (request_id) DO NOTHING;
    EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded THEN
      INSERT INTO usage.parked (charged_nano, reason, receipt) VALUES (p_charges[i], SQLERRM, p_receipts[i]);
      parked := parked || i;
    END;
  END LOOP;
  RETURN parked;
END $$;
