-- Spend alerts: rules, what was counted for them behind the ledger, and what was sent. A rule fires by one conditional UPDATE in the transaction
-- that writes its deliveries, so however many processes look, each crossing is told once.
CREATE SCHEMA alerts;

CREATE TYPE alerts.kind AS ENUM ('balance_below', 'spend_day', 'spend_month', 'spend_spike');
CREATE TYPE alerts.channel AS ENUM ('mail', 'webhook');

CREATE TABLE alerts.rules (
  rule_id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  kind alerts.kind NOT NULL,
  threshold_nano bigint NOT NULL CHECK (threshold_nano > 0),
  factor integer CHECK (factor BETWEEN 2 AND 100),     -- of a spike: so many times the mean hour
  subject_id uuid NOT NULL,                            -- whose spend: the account, or one of its budgets
  key_hash text,                                       -- how the budget's key is named; null: the account
  enabled boolean NOT NULL,
  mail_to text NOT NULL CHECK (mail_to IN ('owners', 'members', 'nobody')),
  member_ids uuid[] NOT NULL CHECK (cardinality(member_ids) <= 50),
  webhook_url text CHECK (length(webhook_url) <= 2048),
  quiet_until timestamptz,                             -- it has fired for this crossing: infinity until the balance is up again, the next
                                                       -- day or month, an hour after it was last seen above
  fired_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK ((kind = 'spend_spike') = (factor IS NOT NULL)),
  CHECK (kind <> 'balance_below' OR key_hash IS NULL),
  CHECK ((subject_id = account_id) = (key_hash IS NULL))
) WITH (fillfactor = 80);
CREATE INDEX rules_of_account ON alerts.rules (account_id, rule_id);

-- How far each account was looked at. Its entries are numbered under its lock, so none can appear below a number that was seen.
CREATE TABLE alerts.looks (
  account_id uuid PRIMARY KEY,
  through_seq bigint NOT NULL,
  credited_nano bigint NOT NULL,
  charged_nano bigint NOT NULL
) WITH (fillfactor = 60);

-- What accounts, and those keys that have rules, were charged in each ten minutes.
CREATE TABLE alerts.spend (
  subject_id uuid NOT NULL,
  bucket timestamptz NOT NULL,                         -- its beginning
  charged_nano bigint NOT NULL,
  PRIMARY KEY (subject_id, bucket)
) WITH (fillfactor = 70);

CREATE TABLE alerts.deliveries (
  delivery_id uuid PRIMARY KEY,                        -- time-ordered: lists go by it; a webhook's message id is made of it
  account_id uuid NOT NULL,
  rule_id uuid REFERENCES alerts.rules ON DELETE SET NULL,
  kind alerts.kind NOT NULL,
  channel alerts.channel NOT NULL,
  target text NOT NULL,                                -- an e-mail address, or an address to post to
  test boolean NOT NULL,
  value_nano bigint NOT NULL,                          -- what was measured
  threshold_nano bigint NOT NULL,
  fired_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  mail_id uuid,                                        -- in the outbox of mail, which tells the rest
  body text,                                           -- of a webhook: the same at each try
  host text NOT NULL GENERATED ALWAYS AS (lower(coalesce(substring(target FROM '^[A-Za-z]+://([^/?#]*)'), ''))) STORED,
  due_at timestamptz,                                  -- of a webhook; null: it is over
  tries integer NOT NULL DEFAULT 0,
  last_at timestamptz,
  last_status integer,
  last_error text,
  delivered_at timestamptz,
  CHECK ((channel = 'mail') = (mail_id IS NOT NULL)),
  CHECK ((channel = 'webhook') = (body IS NOT NULL))
) WITH (fillfactor = 80);
CREATE INDEX deliveries_of_account ON alerts.deliveries (account_id, delivery_id);
CREATE INDEX deliveries_by_due ON alerts.deliveries (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_of_rule ON alerts.deliveries (rule_id);

-- What an account's alert webhooks are signed with; not the one of its tasks, so that who hears of money cannot forge results.
CREATE TABLE alerts.secrets (
  account_id uuid PRIMARY KEY,
  secret text NOT NULL,                                -- whsec_…, as it is: it has to sign
  made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  previous text,                                       -- signs too for a day after a change
  previous_until timestamptz,
  CHECK ((previous IS NULL) = (previous_until IS NULL))
);
