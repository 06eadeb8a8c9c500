-- Passkeys of members (docs/decisions/0048-passkeys.md).
-- Oldest version that may run beside it: 0.1.0

-- Each opens the panel for its member, as password and second factor together. Found by its credential before any member is known, so it lies
-- with the members, in one place. What is here is public: the private half never leaves its authenticator.
CREATE TABLE accounts.passkeys (
  passkey_id uuid PRIMARY KEY,
  member_id uuid NOT NULL REFERENCES accounts.members ON DELETE CASCADE,
  credential_id bytea NOT NULL UNIQUE CHECK (length(credential_id) BETWEEN 1 AND 1023),
  public_key bytea NOT NULL CHECK (length(public_key) BETWEEN 1 AND 4000),   -- COSE, RFC 9052
  counter bigint NOT NULL CHECK (counter >= 0),                              -- of signatures; 0: this authenticator does not count
  transports text[] NOT NULL CHECK (cardinality(transports) <= 10),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  used_at timestamptz                                                        -- null: not yet
);
CREATE INDEX passkeys_of_member ON accounts.passkeys (member_id);
