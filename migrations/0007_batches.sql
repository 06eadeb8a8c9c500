-- Batches: files of requests that are worked off within a day, all of one hold, each line ended by itself.

-- A file with a purpose is private: it is read by its account's keys, and has no URL.
ALTER TABLE files.files ADD COLUMN purpose text CONSTRAINT purpose_is_known CHECK (purpose IN ('batch', 'batch_output', 'batch_part'));
CREATE INDEX private_files ON files.files (account_id, file_id) WHERE state = 'stored' AND purpose IS NOT NULL;

CREATE SCHEMA batches;

CREATE TABLE batches.batches (
  account_id uuid NOT NULL,
  batch_id uuid NOT NULL,                    -- also the id of its hold
  key_id uuid NOT NULL,                      -- whose budget pays
  shape text NOT NULL CHECK (shape IN ('openai', 'anthropic')),
  endpoint text NOT NULL,
  state text NOT NULL DEFAULT 'validating'
    CHECK (state IN ('validating', 'in_progress', 'cancelling', 'finalizing', 'completed', 'failed', 'expired', 'cancelled')),
  outcome text CHECK (outcome IN ('completed', 'expired', 'cancelled')),  -- what it is finalized to
  input_file_id uuid NOT NULL,
  input_name text NOT NULL,
  output_file_id uuid,
  error_file_id uuid,
  client_ip text NOT NULL,
  passed_on json NOT NULL,                   -- headers and query for upstreams of the same protocol
  metadata json,
  errors json,                               -- what is wrong with its file
  price_version integer,
  total integer NOT NULL DEFAULT 0,
  succeeded integer NOT NULL DEFAULT 0,
  errored integer NOT NULL DEFAULT 0,
  canceled integer NOT NULL DEFAULT 0,
  expired integer NOT NULL DEFAULT 0,
  lease_id uuid,                             -- of the process that works on the batch as a whole
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  began_at timestamptz,
  cancel_asked_at timestamptz,
  finalizing_at timestamptz,
  ended_at timestamptz,
  expires_at timestamptz NOT NULL DEFAULT clock_timestamp() + interval '24 hours',
  PRIMARY KEY (account_id, batch_id),
  CONSTRAINT ended CHECK ((state IN ('completed', 'failed', 'expired', 'cancelled')) = (ended_at IS NOT NULL)),
  CONSTRAINT counted CHECK (least(succeeded, errored, canceled, expired) >= 0 AND succeeded + errored + canceled + expired <= total)
) WITH (fillfactor = 50);
CREATE INDEX batches_at_work ON batches.batches (due_at) WHERE ended_at IS NULL;
CREATE INDEX batches_by_end ON batches.batches (ended_at) WHERE ended_at IS NOT NULL;

-- The lines of batches that have not ended. Where its body lies in the input file, what it may cost, and what became of it.
CREATE TABLE batches.lines (
  account_id uuid NOT NULL,
  batch_id uuid NOT NULL,
  line_no integer NOT NULL CHECK (line_no > 0),
  custom_id text NOT NULL,
  first_byte bigint NOT NULL CHECK (first_byte >= 0),
  bytes integer NOT NULL CHECK (bytes > 0),
  quote_nano bigint NOT NULL CHECK (quote_nano >= 0),
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'succeeded', 'errored', 'canceled', 'expired')),
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),  -- waiting: not before; running: leased until
  lease_id uuid,
  tries integer NOT NULL DEFAULT 0,
  request_id uuid,                           -- also the id of the part of the hold that paid, and of its entry
  status integer,
  answer bytea,
  PRIMARY KEY (account_id, batch_id, line_no),
  FOREIGN KEY (account_id, batch_id) REFERENCES batches.batches ON DELETE CASCADE,
  CONSTRAINT leased CHECK ((state = 'running') = (lease_id IS NOT NULL)),
  CONSTRAINT answered CHECK ((state IN ('succeeded', 'errored')) = (answer IS NOT NULL))
) WITH (fillfactor = 70);
CREATE INDEX lines_to_do ON batches.lines (account_id, batch_id, due_at, line_no) WHERE state IN ('waiting', 'running');

-- Takes part of a hold and ends it at once, with the receipt of a request: `carve` and `settle` as one. The part's id makes it happen once:
-- `earlier` is what it was charged before. All three are null where there is no such hold, or less in it than the part.
CREATE FUNCTION ledger.settle_part(
  p_account uuid, p_hold uuid, p_part uuid, p_amount bigint, p_charge bigint, p_loss bigint, p_price_version integer,
  p_endpoint text, p_model_requested text, p_model text, p_state text, p_started_at timestamptz, p_detail text,
  p_input bigint, p_cached bigint, p_output bigint, p_upstream text, p_cost bigint, p_duration integer,
  OUT settled bigint, OUT released bigint, OUT earlier bigint) LANGUAGE plpgsql AS $$
DECLARE
  half CONSTANT bigint := 4611686018427387903;
  made record;
  loss bigint;
BEGIN
  SELECT c.carved, c.known INTO made FROM ledger.carve(p_account, p_hold, p_part, p_amount, p_price_version, NULL, NULL) c;
  IF made.known THEN
    SELECT e.amount_nano INTO earlier FROM ledger.entries e WHERE e.account_id = p_account AND e.entry_id = p_part;
    RETURN;
  END IF;
  IF made.carved IS NULL THEN RETURN; END IF;
  settled := least(p_charge, p_amount);
  released := p_amount - settled;
  loss := least(p_loss, half) + least(p_charge - settled, half);
  INSERT INTO ledger.pages (journal_id, page_no, request_ids, account_ids, hold_ids, held, charges, losses, price_versions, endpoints,
    models_requested, models, states, started_at, details, input_tokens, cached_tokens, output_tokens, upstreams, costs, durations)
  VALUES (p_part, 1, ARRAY[p_part], ARRAY[p_account], ARRAY[p_part], ARRAY[p_amount], ARRAY[settled],
    CASE WHEN loss > 0 THEN ARRAY[loss] END, ARRAY[p_price_version], ARRAY[p_endpoint], ARRAY[p_model_requested], ARRAY[p_model],
    ARRAY[p_state], ARRAY[p_started_at], ARRAY[p_detail], ARRAY[p_input], ARRAY[p_cached],
    ARRAY[p_output], ARRAY[p_upstream], ARRAY[p_cost], ARRAY[p_duration]);
  PERFORM ledger.post_pages(p_part, 1);
END $$;

-- Gives back what a divided hold has left, and forgets it: without an entry, as what is left of a lease, because its parts have theirs.
-- How much it was; null where there is no such hold.
CREATE FUNCTION ledger.release_rest(p_account uuid, p_hold uuid) RETURNS bigint LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  rest ledger.holds;
BEGIN
  DELETE FROM ledger.holds h WHERE h.account_id = p_account AND h.hold_id = p_hold AND h.journal_id IS NULL RETURNING * INTO rest;
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE ledger.accounts t SET held_nano = t.held_nano - rest.held_nano WHERE t.account_id = p_account;
  UPDATE ledger.budgets t SET held_nano = t.held_nano - rest.held_nano
  FROM (SELECT u.budget_id FROM unnest(ARRAY[rest.budget_id, rest.budget2_id, rest.budget3_id]) AS u (budget_id) WHERE u.budget_id IS NOT NULL ORDER BY 1) s
  WHERE t.account_id = p_account AND t.budget_id = s.budget_id;
  RETURN rest.held_nano;
END $$;
