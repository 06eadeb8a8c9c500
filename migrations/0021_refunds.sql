-- Refunds of top-ups by operators (docs/decisions/0050-refunds.md).
-- Oldest version that may run beside it: 0.1.0

CREATE TYPE payments.refund_state AS ENUM ('created', 'pending', 'succeeded', 'canceled');

-- Written together with the entry that takes its money, before the provider is asked. What the provider finally refuses has a second entry, which
-- gives the money back.
CREATE TABLE payments.refunds (
  account_id uuid NOT NULL,
  refund_id uuid NOT NULL,                             -- time-ordered; also our idempotence key at the provider
  payment_id uuid NOT NULL,
  ref text NOT NULL,                                   -- of the page that asks: the same again is the same refund
  provider text NOT NULL,
  amount_nano bigint NOT NULL CHECK (amount_nano > 0 AND amount_nano % 10000000 = 0),
  state payments.refund_state NOT NULL DEFAULT 'created',
  provider_refund_id text,
  reason text NOT NULL,                                -- the operator's words
  actor text NOT NULL,                                 -- which operator, as the audit log names them
  email text,                                          -- where its fiscal receipt goes
  receipt jsonb CHECK (receipt IS NULL OR (jsonb_typeof(receipt) = 'object' AND email IS NOT NULL)),
  failure text,                                        -- why it was not made
  entry_id uuid NOT NULL,                              -- in the ledger: what took the money
  returned_entry_id uuid,                              -- and what gave it back
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz,
  reads integer NOT NULL DEFAULT 0,                    -- how often the provider was asked since it last told something new
  due_at timestamptz,                                  -- when it is asked next; null: only when it reports
  PRIMARY KEY (account_id, refund_id),
  FOREIGN KEY (account_id, payment_id) REFERENCES payments.payments (account_id, payment_id),
  UNIQUE (account_id, ref),
  UNIQUE (account_id, entry_id),
  CHECK ((state IN ('created', 'pending')) = (ended_at IS NULL)),
  CHECK ((state = 'canceled') = (returned_entry_id IS NOT NULL)),
  CHECK (state NOT IN ('pending', 'succeeded') OR provider_refund_id IS NOT NULL)
) WITH (fillfactor = 80);
CREATE INDEX refunds_by_payment ON payments.refunds (account_id, payment_id);
CREATE INDEX refunds_by_due ON payments.refunds (due_at) WHERE due_at IS NOT NULL;
