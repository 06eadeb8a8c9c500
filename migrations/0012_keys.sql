-- API keys. The secret is nowhere, only its hash; the spend limit is a budget in the ledger under the key's id.
CREATE TABLE keys.keys (
  key_id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  hash text NOT NULL UNIQUE CHECK (hash ~ '^[0-9a-f]{64}$'),
  mask text NOT NULL CHECK (mask ~ '^tg_live_[0-9A-Za-z]{4}…[0-9A-Za-z]{4}$'),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  -- Set once. The budget is closed in the same transaction, which is what refuses the next request.
  deleted_at timestamptz,
  models text[] CHECK (cardinality(models) BETWEEN 1 AND 100),
  ips text[] CHECK (cardinality(ips) BETWEEN 1 AND 100),
  requests_per_minute integer CHECK (requests_per_minute > 0),
  last_used_at timestamptz
) WITH (fillfactor = 80);
CREATE INDEX keys_of_account ON keys.keys (account_id, key_id);
