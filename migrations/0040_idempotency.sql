-- What a request with an Idempotency-Key answered: the same request again gets the same answer, and pays once.
CREATE SCHEMA idempotency;

CREATE TYPE idempotency.state AS ENUM ('running', 'answered');

CREATE TABLE idempotency.records (
  account_id uuid NOT NULL,
  key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  request_id uuid NOT NULL,                            -- whose record it is; another process may take over that of a dead one
  owner_id uuid NOT NULL,                              -- the process that runs it
  digest bytea NOT NULL CHECK (length(digest) = 32),   -- SHA-256 of what was asked
  state idempotency.state NOT NULL DEFAULT 'running',
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL DEFAULT clock_timestamp() + interval '24 hours',
  -- The answer: written while the request still runs, and valid from the moment its charge is committed.
  status smallint,
  content_type text,
  streamed boolean,
  broken boolean,                                      -- a stream that came to no proper end
  body bytea,                                          -- null in an answered record: it was too large to be kept
  charged_nano bigint CHECK (charged_nano >= 0),
  PRIMARY KEY (account_id, key)
) WITH (fillfactor = 80, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX records_by_expiry ON idempotency.records (expires_at);

-- Ends records in the transaction that ends their holds: one that is answered keeps its answer, any other is removed, so that its key is free.
-- Arrays are aligned; a null account means that there is no record. What was charged is the settled figure, or the earlier one.
-- A record that belongs to another request by now, or has ended, is left alone.
CREATE FUNCTION idempotency.end_many(
  p_accounts uuid[], p_keys text[], p_requests uuid[], p_answered boolean[], p_settled bigint[], p_earlier bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE idempotency.records r SET state = 'answered', charged_nano = coalesce(u.settled, u.earlier, 0)
  FROM unnest(p_accounts, p_keys, p_requests, p_answered, p_settled, p_earlier) AS u (account_id, key, request_id, answered, settled, earlier)
  WHERE u.answered AND r.account_id = u.account_id AND r.key = u.key AND r.request_id = u.request_id AND r.state = 'running';
  DELETE FROM idempotency.records r
  USING unnest(p_accounts, p_keys, p_requests, p_answered) AS u (account_id, key, request_id, answered)
  WHERE NOT u.answered AND r.account_id = u.account_id AND r.key = u.key AND r.request_id = u.request_id AND r.state = 'running';
END $$;
