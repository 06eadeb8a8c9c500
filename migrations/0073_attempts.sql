-- How often something was tried lately that must not be tried without end (passwords, codes, mails), for all processes together. One row
-- is one bucket that leaks: an attempt moves free_at on by a step, and is refused where that leads too far ahead of the time.
CREATE TABLE accounts.attempts (
  -- HMAC of what is counted: neither e-mails nor addresses of strangers are collected here.
  subject bytea PRIMARY KEY CHECK (length(subject) = 32),
  free_at timestamptz NOT NULL
);
CREATE INDEX attempts_by_age ON accounts.attempts (free_at);
