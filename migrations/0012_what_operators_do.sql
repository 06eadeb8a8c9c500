-- What operators decide of routes and note of accounts, and what their pages read by (docs/decisions/0033-routes-taken-out.md).

-- Routes that an operator took out of use, and until when: read by every process that calls upstreams. None is out for ever.
CREATE TABLE operate.routes_out (
  upstream text NOT NULL CHECK (length(upstream) BETWEEN 1 AND 200),
  upstream_model text NOT NULL CHECK (length(upstream_model) <= 500),   -- empty: every route to the upstream
  until timestamptz NOT NULL,
  reason text CHECK (length(reason) BETWEEN 1 AND 500),
  taken_by text NOT NULL CHECK (length(taken_by) BETWEEN 1 AND 254),
  taken_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (upstream, upstream_model),
  CONSTRAINT not_for_ever CHECK (until > taken_at AND until <= taken_at + interval '31 days')
);

-- What operators know of an account and its members do not see. No row: nothing.
CREATE TABLE operate.account_notes (
  account_id uuid PRIMARY KEY REFERENCES accounts.accounts ON DELETE CASCADE,
  note text NOT NULL CHECK (length(note) <= 2000),
  tags text[] NOT NULL CHECK (cardinality(tags) <= 10 AND array_position(tags, NULL) IS NULL),
  changed_by text NOT NULL CHECK (length(changed_by) BETWEEN 1 AND 254),
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT says_something CHECK (note <> '' OR cardinality(tags) > 0)
);

-- What came in on a day.
CREATE INDEX transfers_by_entry ON directory.transfers (entry_id);
-- Payments of all accounts, newest first: all of them, those of a state, and those that were paid otherwise than begun.
CREATE INDEX payments_by_id ON payments.payments (payment_id);
CREATE INDEX payments_by_state ON payments.payments (state, payment_id);
CREATE INDEX payments_unmatched ON payments.payments (ended_at) WHERE reason = 'mismatch';
