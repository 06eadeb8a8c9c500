-- What a person who logs in to the panel has besides a password: a confirmed e-mail, a role, words in a language, a second factor.
ALTER TABLE accounts.members
  ADD COLUMN name text CHECK (length(name) BETWEEN 1 AND 200),
  ADD COLUMN role text NOT NULL DEFAULT 'owner' CHECK (role IN ('viewer', 'manager', 'owner')),
  ADD COLUMN language text NOT NULL DEFAULT 'ru' CHECK (language IN ('ru', 'en')),
  ADD COLUMN timezone text NOT NULL DEFAULT 'Europe/Moscow' CHECK (length(timezone) BETWEEN 1 AND 64),
  -- Null: the member cannot log in yet.
  ADD COLUMN verified_at timestamptz;

-- Those who are there were made by an operator, who knows them.
UPDATE accounts.members SET verified_at = created_at;

CREATE TABLE accounts.totp (
  member_id uuid PRIMARY KEY REFERENCES accounts.members ON DELETE CASCADE,
  sealed_secret bytea NOT NULL,
  -- Null: it was shown, and no code of it came back yet; no log-in asks for it.
  confirmed_at timestamptz,
  -- Of the last code that was taken, in periods of 30 seconds: neither that code nor an older one is taken again.
  last_step bigint NOT NULL DEFAULT 0
);

-- Each opens once, in place of a code. 80 bits of chance, so a plain hash keeps it.
CREATE TABLE accounts.recovery_codes (
  member_id uuid NOT NULL REFERENCES accounts.members ON DELETE CASCADE,
  code_hash bytea NOT NULL CHECK (length(code_hash) = 32),
  PRIMARY KEY (member_id, code_hash)
);
