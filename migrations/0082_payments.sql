-- Payments by which accounts are topped up. A row is there before the provider is asked, so that nothing paid is unknown here; the ledger's entry
-- is made in the transaction that sets it to succeeded, under a reference of the payment's own, so that it is credited once.
CREATE SCHEMA payments;

CREATE TYPE payments.state AS ENUM (
  'created',     -- the provider has not said yet that it knows of it
  'pending',     -- it waits for the payer
  'succeeded',   -- paid, and credited
  'canceled',    -- not paid; a late success still credits it
  'failed'       -- the provider did not take it, or what it says does not match; a success that matches still credits it
);

CREATE TABLE payments.payments (
  payment_id uuid PRIMARY KEY,                         -- time-ordered: lists go by it; also our idempotence key at the provider
  account_id uuid NOT NULL,
  member_id uuid,                                      -- who began it
  email text,                                          -- theirs, as of then
  provider text NOT NULL,                              -- whom to ask: the one that is configured is only asked of its own
  method text NOT NULL,
  locale text NOT NULL,                                -- of the payment page
  amount_nano bigint NOT NULL CHECK (amount_nano > 0 AND amount_nano % 10000000 = 0),   -- kopecks at most
  state payments.state NOT NULL DEFAULT 'created',
  provider_payment_id text,
  return_url text NOT NULL,                            -- where the browser comes back to
  redirect_url text,                                   -- where it is sent to pay
  reason text,                                         -- why it did not succeed
  refunded_nano bigint NOT NULL DEFAULT 0 CHECK (refunded_nano >= 0),   -- as the provider tells; the ledger does not follow by itself
  entry_id uuid UNIQUE,                                -- in the ledger
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz,
  reads integer NOT NULL DEFAULT 0,                    -- how often the provider was asked since it last told something new
  due_at timestamptz,                                  -- when it is asked next, moved on by whoever asks now; null: only when it reports
  UNIQUE (provider, provider_payment_id),
  CHECK ((state = 'succeeded') = (entry_id IS NOT NULL)),
  CHECK ((state IN ('created', 'pending')) = (ended_at IS NULL)),
  CHECK (state NOT IN ('pending', 'succeeded') OR provider_payment_id IS NOT NULL)
) WITH (fillfactor = 80);
CREATE INDEX payments_of_account ON payments.payments (account_id, payment_id);
CREATE INDEX payments_by_due ON payments.payments (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX payments_open ON payments.payments (account_id) WHERE state IN ('created', 'pending');
