-- Lines that are passed to a batch of an upstream's own.

-- One batch at one upstream.
CREATE TABLE batches.passes (
  account_id uuid NOT NULL,
  batch_id uuid NOT NULL,
  pass_no integer NOT NULL CHECK (pass_no > 0),
  upstream text NOT NULL,
  model text NOT NULL,                       -- as the upstream calls it
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'submitting', 'running', 'over')),
  credential text,                           -- the name of the one that it was submitted with
  remote_file text,
  remote_id text,
  lines integer,                             -- that were sent
  submitted_at timestamptz,
  cancel_sent boolean NOT NULL DEFAULT false,
  lease_id uuid,
  due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, batch_id, pass_no),
  FOREIGN KEY (account_id, batch_id) REFERENCES batches.batches ON DELETE CASCADE,
  CONSTRAINT submitted CHECK (state IN ('waiting', 'over') OR submitted_at IS NOT NULL AND credential IS NOT NULL),
  CONSTRAINT named CHECK (state <> 'running' OR remote_id IS NOT NULL)
) WITH (fillfactor = 50);
CREATE INDEX passes_at_work ON batches.passes (due_at) WHERE state <> 'over';

ALTER TABLE batches.lines
  ADD COLUMN pass_no integer,
  DROP CONSTRAINT lines_state_check,
  ADD CONSTRAINT lines_state_check CHECK (state IN ('waiting', 'running', 'passed', 'succeeded', 'errored', 'canceled', 'expired')),
  ADD CONSTRAINT passed CHECK (state <> 'passed' OR pass_no IS NOT NULL);
CREATE INDEX lines_passed ON batches.lines (account_id, batch_id, pass_no, line_no) WHERE state = 'passed';
