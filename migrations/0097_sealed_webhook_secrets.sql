-- What webhooks are signed with, sealed like everything secret: by SESSION_SECRET, which the database never sees. It has one place for both
-- purposes, and they stay apart: who hears of an account's money cannot forge results of its tasks.
CREATE SCHEMA webhooks;

CREATE TABLE webhooks.secrets (
  account_id uuid NOT NULL,
  purpose text NOT NULL CHECK (purpose IN ('tasks', 'alerts')),
  sealed bytea,                                        -- whsec_…; it opens in this row only
  made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  previous bytea,                                      -- signs too for a while after a change, so that receivers can follow
  previous_until timestamptz,
  clear text,                                          -- as it stood before this migration, until the next start of a process seals it;
  previous_clear text,                                 -- nothing is ever written here again
  PRIMARY KEY (account_id, purpose),
  CHECK (num_nonnulls(sealed, clear) = 1),
  CHECK (num_nonnulls(previous, previous_clear) = num_nonnulls(previous_until))
);

INSERT INTO webhooks.secrets (account_id, purpose, made_at, previous_until, clear, previous_clear)
SELECT account_id, 'tasks', made_at, previous_until, secret, previous FROM tasks.webhook_secrets
UNION ALL
SELECT account_id, 'alerts', made_at, previous_until, secret, previous FROM alerts.secrets;

DROP TABLE tasks.webhook_secrets;
DROP TABLE alerts.secrets;
