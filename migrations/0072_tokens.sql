-- What links in mails carry, each for one purpose and one use: a row that is used is deleted. Only HMACs of the tokens are here.
CREATE TABLE accounts.tokens (
  token_hash bytea PRIMARY KEY CHECK (length(token_hash) = 32),
  purpose text NOT NULL CHECK (purpose IN ('verify', 'reset')),
  member_id uuid NOT NULL REFERENCES accounts.members ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX tokens_of_member ON accounts.tokens (member_id, purpose);
CREATE INDEX tokens_by_expiry ON accounts.tokens (expires_at);

-- People who are asked to join an account. Whether they are members of another one already is found out when they accept.
CREATE TABLE accounts.invitations (
  invitation_id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts.accounts ON DELETE CASCADE,
  email text NOT NULL CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 254),
  role text NOT NULL CHECK (role IN ('viewer', 'manager', 'owner')),
  language text NOT NULL CHECK (language IN ('ru', 'en')),
  token_hash bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz NOT NULL,
  UNIQUE (account_id, email)
);
