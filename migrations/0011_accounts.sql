-- Customers and the people who act for them. Money is the ledger's: an account's balance is under the same id there.
CREATE TABLE accounts.accounts (
  account_id uuid PRIMARY KEY,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  created_at timestamptz NOT NULL DEFAULT now()
);

-- A person who logs in to the panel. Operators may act on all accounts.
CREATE TABLE accounts.members (
  member_id uuid PRIMARY KEY,
  -- Deferred: a new account's first member is written before it, so that a taken e-mail leaves nothing behind.
  account_id uuid NOT NULL REFERENCES accounts.accounts DEFERRABLE INITIALLY DEFERRED,
  email text NOT NULL UNIQUE CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 254),
  -- $argon2id$…; the password itself is nowhere.
  password_hash text NOT NULL CHECK (password_hash LIKE '$argon2id$%'),
  -- The password was made by us and shown to somebody else: it only opens the form that sets a new one.
  must_change_password boolean NOT NULL,
  operator boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX members_of_account ON accounts.members (account_id);
