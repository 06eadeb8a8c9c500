-- Sessions of the panel, asked at every request: what is deleted here is over in every process.
CREATE TABLE accounts.sessions (
  session_id uuid PRIMARY KEY,
  -- HMAC of the cookie's token; the token itself is with the browser alone.
  token_hash bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
  member_id uuid NOT NULL REFERENCES accounts.members ON DELETE CASCADE,
  stage text NOT NULL CHECK (stage IN ('full', 'totp', 'password')),
  -- Codes of the second factor that were wrong.
  wrong_codes smallint NOT NULL DEFAULT 0,
  address text NOT NULL,
  user_agent text NOT NULL CHECK (length(user_agent) <= 400),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Moves on while the session is used, up to ends_at.
  expires_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL
);
CREATE INDEX sessions_of_member ON accounts.sessions (member_id);
CREATE INDEX sessions_by_expiry ON accounts.sessions (expires_at);

-- Where a member has logged in from before: a log-in from elsewhere is told by mail.
CREATE TABLE accounts.devices (
  member_id uuid NOT NULL REFERENCES accounts.members ON DELETE CASCADE,
  address text NOT NULL,
  user_agent text NOT NULL CHECK (length(user_agent) <= 400),
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (member_id, address, user_agent)
);
CREATE INDEX devices_by_age ON accounts.devices (seen_at);
